// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples of every recording in fixtures/samples, and the time that they stand for, added up in
 * each format: all must say what the model says.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "export/export_fixture.h"
#include "export/totals_fixture.h"
#include "perfetto.pb-c.h"
#include "trace/keys.h"

/* The values of pprof begin with all time when there are waits, and count nothing. */
static struct totals pprof(const char *path, const struct export_options *opt, bool wall,
			   struct totals want)
{
	struct totals t = totals_pprof(path, opt);

	return wall ? (struct totals){ .self_ns = t.calls, .calls = want.calls } : t;
}

/* A column of a page's tree: numbers of five bits a letter, the least first. */
static uint64_t page_column(const char *data, const char *name)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *at = strstr(data, "\"tree\":");
	uint64_t sum = 0, v = 0;
	unsigned shift = 0;

	assert_non_null(at);
	at = strstr(at, name);
	assert_non_null(at);
	for (at += strlen(name); *at != '"'; at++) {
		const char *letter = strchr(letters, *at);

		assert_true(letter && shift < 64);
		v |= (uint64_t)((letter - letters) & 31) << shift;
		shift += 5;
		if (letter - letters >= 32)
			continue;
		sum += v;
		v = shift = 0;
	}
	return sum;
}

static struct totals html(const char *path)
{
	size_t n;
	char *page = fixture_export(path, "html", &(struct export_options){ 0 }, &n),
	     *data = fixture_page_data(page);
	struct totals t = { .self_ns = page_column(data, "\"self\":\""),
			    .calls = page_column(data, "\"calls\":\"") };

	free(data);
	free(page);
	return t;
}

/* Samples of all profiles, each as long as the time until the next one, in microseconds. */
static struct totals chrome(const char *path)
{
	static const char samples[] = "\"samples\":[", deltas[] = "\"timeDeltas\":[";
	size_t n;
	char *text = fixture_export(path, "chrome", &(struct export_options){ 0 }, &n), *end;
	struct totals t = { 0 };

	for (const char *at = text; (at = strstr(at, "\"name\":\"ProfileChunk\"")); at++) {
		const char *s = strstr(at, samples), *d = strstr(at, deltas);

		assert_true(s && d);
		s += strlen(samples);
		strtoull(d + strlen(deltas), &end, 10); /* until the first one */
		for (d = end; *d == ','; d = end) {
			const bool idle = strtoull(s, &end, 10) == 2;

			s = end + 1;
			uint64_t us = strtoull(d + 1, &end, 10);
			t.calls += !idle;
			t.self_ns += idle ? 0 : 1000 * us;
		}
	}
	free(text);
	return t;
}

static struct totals perfetto(const char *path)
{
	size_t n;
	char *data = fixture_export(path, "perfetto", &(struct export_options){ 0 }, &n);
	Perfetto__Trace *p = perfetto__trace__unpack(NULL, n, (uint8_t *)data);
	struct totals t = { 0 };

	assert_non_null(p);
	for (size_t i = 0; i < p->n_packet; i++)
		if (p->packet[i]->perf_sample) {
			t.calls++;
			t.self_ns += p->packet[i]->perf_sample->timebase_count;
		}
	perfetto__trace__free_unpacked(p, NULL);
	free(data);
	return t;
}

/* Profiles: all paths, then the samples one after the other. */
static void speedscope(const char *name, struct totals want)
{
	static const char weights[] = "\"weights\":[";
	size_t n;
	char *text = fixture_export(name, "speedscope", &(struct export_options){ 0 }, &n), *end;
	struct totals paths = { .calls = want.calls }, singles = { 0 };
	bool first = true;

	for (const char *at = text; (at = strstr(at, weights)); first = false)
		for (at += strlen(weights); *at != ']'; at = end + (*end == ',')) {
			uint64_t ns = strtoull(at, &end, 10);

			paths.self_ns += first ? ns : 0;
			singles.self_ns += first ? 0 : ns;
			singles.calls += !first;
		}
	free(text);
	totals_same(name, "speedscope, all", paths, want);
	totals_same(name, "speedscope, one after the other", singles, want);
}

static void one_after_the_other(const char *name, struct totals want)
{
	struct totals got = chrome(name), whole = want;

	/* each begins and ends at a whole microsecond */
	if (got.self_ns > want.self_ns - 1000 * want.calls &&
	    got.self_ns < want.self_ns + 1000 * want.calls)
		whole.self_ns = got.self_ns;
	totals_same(name, "chrome", got, whole);
	totals_same(name, "perfetto", perfetto(name), want);
	speedscope(name, want);
}

static void check(const char *name)
{
	const struct export_options plain = { 0 }, by = { .goroutines = true };
	struct trace_reader *r = trace_reader_open(name);
	const struct totals want = totals_truth(name);

	assert_non_null(r);
	const bool wall = trace_info_get(trace_reader_info(r), KEY_SAMPLE_WALL);

	trace_reader_close(r);
	assert_true(want.calls > 10 && want.self_ns > 0);
	totals_same(name, "folded", totals_folded(name, &plain), want);
	totals_same(name, "pprof", pprof(name, &plain, wall, want), want);
	totals_same(name, "pprof --goroutines", pprof(name, &by, wall, want), want);
	struct totals otlp = totals_otlp(name, &by);

	if (wall)
		otlp.calls = want.calls;
	totals_same(name, "otlp --goroutines", otlp, want);
	totals_same(name, "csv", totals_csv(name, &plain), want);
	totals_same(name, "html", html(name), want);
	size_t n;
	char *text = fixture_export(name, "perun", &plain, &n);
	totals_same(name, "perun",
		    (struct totals){ .self_ns = totals_after(text, "\"amount\":"),
				     .calls = totals_after(text, "\"ncalls\":") },
		    want);
	free(text);
	totals_same(name, "sqlite, functions",
		    totals_sqlite(name, "SELECT sum(self_ns), sum(calls) FROM functions"), want);
	totals_same(name, "sqlite, paths",
		    totals_sqlite(name, "SELECT sum(self_ns), sum(calls) FROM paths"), want);
	totals_same(name, "sqlite, goroutines",
		    totals_sqlite(name, "SELECT sum(self_ns), sum(calls) FROM goroutines"), want);
	totals_same(name, "sqlite, samples",
		    totals_sqlite(name, "SELECT sum(weight_ns), sum(samples) FROM samples"), want);
	if (!wall) /* which those formats refuse */
		one_after_the_other(name, want);
}

TEST(recordings)
{
	glob_t g;

	assert_int_equal(glob("fixtures/samples/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 8);
	for (size_t i = 0; i < g.gl_pathc; i++)
		check(g.gl_pathv[i]);
	globfree(&g);
}

TESTS(recordings)

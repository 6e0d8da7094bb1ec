// SPDX-License-Identifier: BSD-2-Clause
/*
 * Self time and calls of every hand-written case and every recorded trace, added up in each format:
 * all must say what the model says.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "analysis/trace_load.h"
#include "export/export_fixture.h"
#include "export/totals_fixture.h"
#include "pprof.pb-c.h"
#include "trace/keys.h"

static struct totals of_json(const char *path, const char *format, const char *self,
			     const char *calls)
{
	size_t n;
	char *text = fixture_export(path, format,
				    &(struct export_options){ .args = true, .raw = true }, &n);
	struct totals t = { .self_ns = totals_after(text, self),
			    .calls = calls ? totals_after(text, calls) : 0 };

	for (const char *at = text; !calls && (at = strstr(at, "\"ph\":\"X\"")); at++)
		t.calls++;
	free(text);
	return t;
}

static struct totals of_perfetto(const char *path)
{
	struct totals t = { 0 };
	size_t n, size;
	char *text = NULL,
	     *data = fixture_export(path, "perfetto", &(struct export_options){ 0 }, &n);
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	t.self_ns = fixture_read_perfetto(data, n, out);
	assert_int_equal(fclose(out), 0);
	for (const char *at = text; (at = strstr(at, ": end of ")); at++)
		t.calls++;
	free(text);
	free(data);
	return t;
}

/* The formats that check() has compared, and that it has come to its end. */
static bool compared[32], all_compared;

static void same(const char *trace, const char *format, struct totals got, struct totals want)
{
	size_t len = strcspn(format, " ,");

	for (size_t i = 0; export_formats[i].name; i++)
		if (strlen(export_formats[i].name) == len &&
		    !strncmp(export_formats[i].name, format, len))
			compared[i] = true;
	totals_same(trace, format, got, want);
}

static void check(const char *name, const char *path)
{
	const struct export_options plain = { .raw = true },
				    cut = { .no_go_edges = true, .raw = true },
				    by = { .goroutines = true, .raw = true },
				    calls = { .calls = true };
	struct totals want = totals_truth(path), got, whole = want;

	/* frames of their own have what is in callers' totals */
	whole.self_ns += want.stops_ns;
	same(name, "folded", totals_folded(path, &plain), whole);
	same(name, "folded --no-go-edges", totals_folded(path, &cut), whole);
	same(name, "pprof", totals_pprof(path, &plain), whole);
	same(name, "pprof --no-go-edges", totals_pprof(path, &cut), whole);
	same(name, "pprof --goroutines", totals_pprof(path, &by), whole);
	same(name, "otlp", totals_otlp(path, &plain), whole);
	same(name, "otlp --goroutines", totals_otlp(path, &by), whole);
	same(name, "csv", totals_csv(path, &plain), want);
	same(name, "csv --no-go-edges", totals_csv(path, &cut), want);
	same(name, "csv --calls", totals_csv(path, &calls), want);
	same(name, "perun", of_json(path, "perun", "\"amount\":", "\"ncalls\":"), want);
	same(name, "chrome", of_json(path, "chrome", "\"self_ns\":", NULL), want);
	got.self_ns = fixture_read_speedscope(path, &got.calls);
	same(name, "speedscope", got, want);
	same(name, "perfetto", of_perfetto(path), want);
	same(name, "sqlite, functions",
	     totals_sqlite(path, "SELECT sum(self_ns), sum(calls) FROM functions"), want);
	same(name, "sqlite, paths",
	     totals_sqlite(path, "SELECT sum(self_ns), sum(calls) FROM paths"), want);
	same(name, "sqlite, calls", totals_sqlite(path, "SELECT sum(self_ns), count(*) FROM calls"),
	     want);
	same(name, "sqlite, goroutines",
	     totals_sqlite(path, "SELECT sum(self_ns), sum(calls) FROM goroutines"), want);
	all_compared = true;
}

/* ---- states */

enum { RUN, READY, WAIT, SYSCALL, UNKNOWN, OFF_CPU, PARTS };

struct parts {
	uint64_t ns[PARTS];
};

static struct parts parts_of(uint64_t all_ns, const struct off_times *off)
{
	return (struct parts){ { all_ns - off_times_sum(off), off->runnable_ns, off->wait_ns,
				 off->syscall_ns, off->unknown_ns, off->off_cpu_ns } };
}

/* What the model says: of self times, and of goroutines' lives. */
static void true_parts(const char *path, struct parts *self, struct parts *lives)
{
	struct trace_reader *r = trace_reader_open(path);
	struct loaded_trace trace;
	struct call_stats sum = { 0 };
	size_t n;

	assert_non_null(r);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	const struct path_node *nodes = model_paths(trace.model, &n);

	assert_true(trace.totals->states);
	for (size_t i = 1; i < n; i++)
		call_stats_add(&sum, &nodes[i].stats);
	*self = parts_of(sum.self_ns, &sum.off_self);
	*lives = parts_of(trace.totals->life_ns, &trace.totals->off);
	trace_unload(&trace);
	trace_reader_close(r);
}

/* Growing executes; who was preempted may have waited for anything. */
static struct parts with_stops(const char *path, struct parts self)
{
	struct trace_reader *r = trace_reader_open(path);
	struct loaded_trace trace;
	size_t n;

	assert_non_null(r);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	const struct path_node *nodes = model_paths(trace.model, &n);

	for (size_t i = 1; i < n; i++) {
		self.ns[RUN] += nodes[i].stats.morestack_ns;
		self.ns[UNKNOWN] += nodes[i].stats.preempt_ns;
	}
	trace_unload(&trace);
	trace_reader_close(r);
	return self;
}

static void same_parts(const char *trace, const char *format, struct parts got, struct parts want)
{
	for (int i = 0; i < PARTS; i++)
		if (got.ns[i] != want.ns[i])
			fail_msg("%s, %s: part %d is %" PRIu64 " ns, not %" PRIu64, trace, format,
				 i, got.ns[i], want.ns[i]);
}

static struct parts parts_pprof(const char *path, const struct export_options *opt)
{
	struct parts t = { 0 };
	size_t n, size;
	char *data = fixture_export(path, "pprof", opt, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	assert_int_equal(p->n_sample_type, 4 + PARTS);
	for (size_t i = 0; i < p->n_sample; i++)
		for (int k = 0; k < PARTS; k++)
			t.ns[k] += (uint64_t)p->sample[i]->value[4 + k];
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
	free(data);
	return t;
}

static struct parts parts_sqlite(const char *path, const char *sql)
{
	size_t n;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);
	sqlite3_stmt *s;
	struct parts t;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	for (int i = 0; i < PARTS; i++)
		t.ns[i] = (uint64_t)sqlite3_column_int64(s, i);
	sqlite3_finalize(s);
	sqlite3_close(db);
	free(data);
	return t;
}

/* The slices of all goroutines' states. */
static struct parts parts_perfetto(const char *path)
{
	static const char *const over[PARTS] = {
		": over running after ",     ": over runnable after ", ": over waiting: ",
		": over system call after ", ": over unknown after ",  ": over off CPU: "
	};
	struct parts t = { 0 };
	size_t n, size;
	char *text = NULL,
	     *data = fixture_export(path, "perfetto", &(struct export_options){ 0 }, &n);
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fixture_read_perfetto(data, n, out);
	assert_int_equal(fclose(out), 0);
	for (int i = 0; i < PARTS; i++)
		for (const char *at = text; (at = strstr(at, over[i])); at += strlen(over[i]))
			t.ns[i] += strtoull(strstr(at, " after ") + strlen(" after "), NULL, 10);
	free(text);
	free(data);
	return t;
}

static struct parts parts_csv(const char *path)
{
	size_t n, rows;
	char *text = fixture_export(path, "csv", &(struct export_options){ 0 }, &n);
	const char *first = strstr(text, ",Run T [ms]");
	struct parts t;
	unsigned column = 1;

	assert_true(first && first < strchr(text, '\n'));
	for (const char *c = text; c < first; c++)
		column += *c == ',';
	for (unsigned i = 0; i < PARTS; i++)
		t.ns[i] = totals_column(text, column + i, &rows);
	free(text);
	return t;
}

static struct parts parts_folded(const char *path, struct parts want)
{
	static const enum export_weight weights[] = { WEIGHT_RUN,  WEIGHT_READY,
						      WEIGHT_WAIT, WEIGHT_SYSCALL,
						      0,           WEIGHT_OFF_CPU };
	struct parts t;

	for (int i = 0; i < PARTS; i++) {
		size_t n;
		char *text = fixture_export(
			path, "folded",
			&(struct export_options){ .weight = weights[i], .raw = true }, &n);

		t.ns[i] = totals_lines(text);
		free(text);
	}
	t.ns[UNKNOWN] = want.ns[UNKNOWN]; /* there is no weight for it */
	return t;
}

static void check_states(const char *name, const char *path)
{
	const struct export_options plain = { .raw = true },
				    by = { .goroutines = true, .raw = true };
	struct parts self, lives, whole;

	true_parts(path, &self, &lives);
	whole = with_stops(path, self);
	same_parts(name, "pprof", parts_pprof(path, &plain), whole);
	same_parts(name, "pprof --goroutines", parts_pprof(path, &by), whole);
	same_parts(name, "folded", parts_folded(path, self), self);
	same_parts(name, "csv", parts_csv(path), self);
	same_parts(name, "perfetto", parts_perfetto(path), lives);
#define SUMS \
	"SELECT sum(run_ns), sum(runnable_ns), sum(wait_ns), sum(syscall_ns), sum(unknown_ns), sum(off_cpu_ns) "
	same_parts(name, "sqlite, functions", parts_sqlite(path, SUMS "FROM functions"), self);
	same_parts(name, "sqlite, paths", parts_sqlite(path, SUMS "FROM paths"), self);
	same_parts(name, "sqlite, goroutines", parts_sqlite(path, SUMS "FROM goroutines"), lives);
	same_parts(name, "sqlite, states",
		   parts_sqlite(path, "SELECT sum(d) FILTER (WHERE state = 'running'),"
				      " sum(d) FILTER (WHERE state = 'runnable'),"
				      " sum(d) FILTER (WHERE state = 'waiting'),"
				      " sum(d) FILTER (WHERE state = 'system call'),"
				      " sum(d) FILTER (WHERE state = 'unknown'),"
				      " sum(d) FILTER (WHERE state = 'off CPU')"
				      " FROM (SELECT state, duration_ns AS d FROM states)"),
		   lives);
	const struct parts waits = { .ns[WAIT] = self.ns[WAIT] };
	same_parts(name, "sqlite, waits of functions",
		   parts_sqlite(path,
				"SELECT 0, 0, sum(wait_ns), 0, 0, 0 FROM waits WHERE function"),
		   waits);
	same_parts(name, "sqlite, waits of paths",
		   parts_sqlite(path, "SELECT 0, 0, sum(wait_ns), 0, 0, 0 FROM waits WHERE path"),
		   waits);
}

TEST(test_cases)
{
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char trace[TRACE_PATH_BYTES];
		struct evlist l;

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		fixture_write(&l, trace);
		check(g.gl_pathv[i], trace);
		if (trace_info_get(&l.info, KEY_STATES))
			check_states(g.gl_pathv[i], trace);
		unlink(trace);
		evlist_free(&l);
	}
	globfree(&g);
}

TEST(test_recorded)
{
	size_t with_states = 0;
	glob_t g;

	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc > 50);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct trace_reader *r = trace_reader_open(g.gl_pathv[i]);

		assert_non_null(r);
		bool has_states = trace_info_get(trace_reader_info(r), KEY_STATES);

		trace_reader_close(r);
		with_states += has_states;
		if (i % test_one_of(1, 3))
			continue;
		check(g.gl_pathv[i], g.gl_pathv[i]);
		if (has_states)
			check_states(g.gl_pathv[i], g.gl_pathv[i]);
	}
	assert_true(with_states >= 30);
	globfree(&g);
}

/* After the tests that compare. The page's data is compared by tests of its own. */
TEST(test_each_format)
{
	if (!all_compared)
		skip();
	for (size_t i = 0; export_formats[i].name; i++)
		if (!compared[i] && strcmp(export_formats[i].name, "html") != 0)
			fail_msg("format %s is not added up: check() of core/export/totals_test.c "
				 "has no line for it",
				 export_formats[i].name);
}

TESTS(test_cases, test_recorded, test_each_format)

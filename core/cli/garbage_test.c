// SPDX-License-Identifier: BSD-2-Clause
/* Events without sense, in any order of times: every report and comparison is written, and
 * csv and json hold the same rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "export/export.h"
#include "report/diff_formats.h"
#include "report/report_fixture.h"

#define FUNCS 5

static unsigned next(unsigned *random, unsigned below)
{
	*random = *random * 1103515245 + 12345;
	return (*random >> 8) % below;
}

static void tables(struct trace_info *t, unsigned *random)
{
	for (uint32_t f = 0; f < FUNCS; f++) {
		const char *const names[FUNCS] = { "main.f", "main.g", "main.f", "a;b,\"\xff", "" };

		assert_int_equal(trace_info_add_func(t,
						     &(struct trace_func){ .name = (char *)names[f],
									   .vaddr = 0x1000 + 64 * f,
									   .size = 64 }),
				 0);
		assert_int_equal(
			trace_info_add_pc(t, &(struct trace_pc){ .pc = 0x1000 + 64 * f,
								 .func = (char *)names[f],
								 .file = (char *)(f & 1 ? "/a/b.go"
											: NULL) }),
			0);
		for (uint16_t kind = 1; kind <= EV_KIND_MAX; kind++)
			assert_int_equal(trace_info_add_site(
						 t,
						 &(struct trace_site){
							 .func = next(random, 4) ? f : TRACE_NONE,
							 .kind = kind,
							 .target = next(random, 4)
									   ? next(random, FUNCS)
									   : TRACE_NONE }),
					 0);
	}
}

static void garbage(char path[TRACE_PATH_BYTES], unsigned seed)
{
	struct evlist l = { .n = 0 };
	unsigned random = seed, n = next(&random, 300);
	uint64_t ts_ns = next(&random, 100);

	tables(&l.info, &random);
	l.events = calloc(n + 1, sizeof(*l.events));
	assert_non_null(l.events);
	for (; l.n < n; l.n++) {
		struct event_ext *e = &l.events[l.n];
		unsigned kind = 1 + next(&random, next(&random, 3) ? 2 : EV_KIND_MAX);

		ts_ns += next(&random, 100);
		if (!next(&random, 60))
			ts_ns = next(&random, 2) ? (uint64_t)next(&random, 1u << 20) << 40
						 : next(&random, 1000);
		e->h = (struct event){ ts_ns,
				       next(&random, 5),
				       next(&random, FUNCS * EV_KIND_MAX + 1),
				       100 * next(&random, 6),
				       next(&random, 3),
				       (uint16_t)kind,
				       (uint16_t)(next(&random, 6) ? 0 : next(&random, 8)) };
		for (unsigned a = 0; a < 4 && event_kind_has_args(kind); a++)
			e->arg[a] = next(&random, 2) ? next(&random, 6)
						     : 0x1000 + 64 * next(&random, 6);
	}
	fixture_write(&l, path);
	evlist_free(&l);
}

/* Rows of a json report: objects in the array at the first level. */
static size_t json_rows(const char *json)
{
	const char *at = strstr(json, "\"rows\": ["), *end;
	size_t n = 0;

	assert_non_null(at);
	end = strstr(at, "\n  ]");
	while ((at = strstr(at, "\n    {")) && end && at < end) {
		n++;
		at++;
	}
	return n;
}

static void every_report(const char *path, unsigned seed)
{
	static const struct report_options options[] = {
		{ .by = BY_FUNCTION },
		{ .by = BY_PATH },
		{ .by = BY_PATH, .depth = 2, .min_share_pct = 3 },
		{ .by = BY_GOROUTINE },
		{ .by = BY_GOROUTINE, .fold = true, .sort = SORT_CALLS },
		{ .by = BY_CALL },
		{ .by = BY_CALL, .limit = 3, .from_ns = 50 },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char *text = fixture_report(path, "text", &options[i]),
		     *csv = fixture_report(path, "csv", &options[i]);
		char *json = fixture_report(path, "json", &options[i]);

		if (fixture_lines(csv) != json_rows(json) + 1)
			fail_msg("seed %u, report %zu:\n%s\n%s", seed, i, csv, json);
		assert_true(strlen(text) > 0);
		free(text);
		free(csv);
		free(json);
	}
}

static void in_silence(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	(void)line;
}

static void every_comparison(const char *a, const char *b)
{
	for (unsigned k = 0; k < 4; k++)
		for (const struct diff_format *f = diff_formats; f->name; f++) {
			const struct diff_options opt = { .by = k & 1 ? BY_PATH : BY_FUNCTION,
							  .file = { "a", "b" },
							  .min_ns = k & 2 ? DIFF_MIN_AUTO : 0 };
			struct trace_reader *const r[2] = { trace_reader_open(a),
							    trace_reader_open(b) };
			FILE *out = fopen("/dev/null", "w");

			assert_true(r[0] && r[1] && out);
			assert_int_equal(f->write(r, &opt, out), 0);
			trace_reader_close(r[0]);
			trace_reader_close(r[1]);
			fclose(out);
		}
}

/* All formats, each with every option that it takes and without. */
static void every_export(const char *path)
{
	static const struct export_options all = { .weight = WEIGHT_CALLS,
						   .no_go_edges = true,
						   .goroutines = true,
						   .calls = true,
						   .layout = PERUN_LEGACY };
	static const struct export_options none = { 0 };

	for (const struct export_format *f = export_formats; f->name; f++)
		for (int k = 0; k < (f->takes ? 2 : 1); k++) {
			struct trace_reader *r = trace_reader_open(path);
			FILE *out = fopen("/dev/null", "w");

			assert_true(r && out);
			assert_int_equal(f->write(&r, 1, k ? &all : &none, out), 0);
			trace_reader_close(r);
			fclose(out);
		}
}

TEST(test_garbage)
{
	char path[2][TRACE_PATH_BYTES];

	log_set_sink(in_silence, NULL);
	garbage(path[0], 1);
	for (unsigned seed = 2; seed < 60; seed++) {
		garbage(path[1], seed);
		every_report(path[1], seed);
		every_export(path[1]);
		every_comparison(path[0], path[1]);
		unlink(path[0]);
		memcpy(path[0], path[1], sizeof(path[0]));
	}
	unlink(path[0]);
	log_set_sink(NULL, NULL);
}

TESTS(test_garbage)

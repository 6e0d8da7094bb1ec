// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every case of fixtures/cases, written as a trace, read back and reported: the
 * csv files beside it say what must come out. GOTRACE_UPDATE=1 rewrites them,
 * to be read through before they are committed.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "report/report_fixture.h"
#include "model/model.h"

#define FOLDER "fixtures/cases"

/* Compares with the file beside `events` that has another ending. */
static void same_as_stored(const char *events, const char *ending, const char *got)
{
	char path[512];

	snprintf(path, sizeof(path), "%.*s%s", (int)(strlen(events) - strlen(".events")), events,
		 ending);
	fixture_same(path, got);
}

/* The columns that are stored. */
static char *columns_of(const char *events, const char *ending)
{
	char path[512];

	snprintf(path, sizeof(path), "%.*s%s", (int)(strlen(events) - strlen(".events")), events,
		 ending);
	return fixture_columns(path);
}

static void check_case(const char *events, const char *path, enum report_by by, const char *ending)
{
	char *columns = columns_of(events, ending);
	char *got = fixture_report(path, "csv",
				   &(struct report_options){ .by = by, .columns = columns });

	same_as_stored(events, ending, got);
	free(got);
	free(columns);
}

TEST(test_cases)
{
	glob_t g;

	assert_int_equal(glob(FOLDER "/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;
		char path[TRACE_PATH_BYTES];

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		fixture_write(&l, path);
		check_case(g.gl_pathv[i], path, BY_FUNCTION, ".functions.csv");
		check_case(g.gl_pathv[i], path, BY_PATH, ".paths.csv");
		unlink(path);
		evlist_free(&l);
	}
	globfree(&g);
}

/* A report of one kind in one format; all columns, or those that are stored as csv. */
static void check_format(const char *events, const char *path, const char *format,
			 enum report_by by, bool all)
{
	static const char *const kinds[] = { "functions", "paths", "goroutines", "calls",
					     "reasons" };
	const bool text = !strcmp(format, "text");
	char csv[64], ending[64];

	snprintf(csv, sizeof(csv), ".%s.csv", kinds[by]);
	snprintf(ending, sizeof(ending), ".%s.%s", kinds[by], text ? "txt" : format);
	char *stored = all || by > BY_PATH || text ? NULL : columns_of(events, csv);
	char *got = fixture_report(
		path, format,
		&(struct report_options){
			.by = by,
			.columns = text && !all && by == BY_FUNCTION ? FIXTURE_COLUMNS : stored });

	same_as_stored(events, ending, got);
	free(got);
	free(stored);
}

/* Every format and row kind of some telling cases, character by character; the last with
 * whatever columns there are. */
TEST(test_formats)
{
	static const char *const cases[] = { "go",       "names",       "loss-goroutine",
					     "released", "no-duration", "states" };
	static const char *const formats[] = { "text", "csv", "json" };

	for (size_t i = 0; i < 6; i++) {
		char events[128], path[TRACE_PATH_BYTES];
		struct evlist l;

		snprintf(events, sizeof(events), FOLDER "/%s.events", cases[i]);
		assert_int_equal(evlist_load(&l, events), 0);
		fixture_write(&l, path);
		for (size_t f = 0; f < 3; f++)
			for (enum report_by by = BY_FUNCTION; by <= (i == 5 ? BY_REASON : BY_CALL);
			     by++)
				check_format(events, path, formats[f], by, i == 5);
		unlink(path);
		evlist_free(&l);
	}
}

/* Calls of each function when event `without` is left out (l->n: none is). To be freed. */
static uint64_t *count_calls(const struct evlist *l, size_t without)
{
	struct model *m = model_new(&l->info, NULL);
	uint64_t *calls = calloc(l->info.n_funcs + 1, sizeof(*calls));
	size_t n;

	assert_true(m && calls);
	for (size_t i = 0; i < l->n; i++)
		if (i != without)
			assert_int_equal(model_feed(m, &l->events[i]), 0);
	assert_int_equal(model_finish(m), 0);
	const struct call_stats *st = model_funcs(m, &n);

	for (size_t f = 0; f < n; f++)
		calls[f] = st[f].calls;
	model_free(m);
	return calls;
}

/* Any one event of any case may be missing: only its own function's calls may change, by one. */
TEST(test_any_event_missing)
{
	glob_t g;

	assert_int_equal(glob(FOLDER "/*.events", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		uint64_t *whole = count_calls(&l, l.n);

		for (size_t e = 0; e < l.n; e++) {
			uint32_t site = l.events[e].h.site;
			uint32_t own = site < l.info.n_sites ? l.info.sites[site].func : TRACE_NONE;
			uint64_t *calls = count_calls(&l, e);

			for (size_t f = 0; f < l.info.n_funcs; f++) {
				uint64_t off = calls[f] > whole[f] ? calls[f] - whole[f]
								   : whole[f] - calls[f];

				if (off > (f == own))
					fail_msg("%s: without event %zu %s has %d calls",
						 g.gl_pathv[i], e, l.info.funcs[f].name,
						 (int)calls[f]);
			}
			free(calls);
		}
		free(whole);
		evlist_free(&l);
	}
	globfree(&g);
}

/* The goids of two images are not one another's: each call says whose it is. */
TEST(test_images)
{
	struct evlist l;
	char path[TRACE_PATH_BYTES];

	assert_int_equal(evlist_load(&l, FOLDER "/image.events"), 0);
	fixture_write(&l, path);
	char *got = fixture_report(path, "json", &(struct report_options){ .by = BY_CALL });
	const char *first = strstr(got, "\"image\": 0"), *second = strstr(got, "\"image\": 1");

	assert_true(first && second && first < second);
	free(got);
	unlink(path);
	evlist_free(&l);
}

/* Calls stand as they began; sorted, the slowest stand first, whether a limit is set or not. */
TEST(test_sorted_calls)
{
	static const struct {
		struct report_options opt;
		const char *names[3];
	} sorted[] = {
		{ { 0 }, { "main.quick", "main.slow", "main.deep" } },
		{ { .limit = 2 }, { "main.quick", "main.slow" } },
		{ { .sort = SORT_TOTAL }, { "main.slow", "main.deep", "main.quick" } },
		{ { .sort = SORT_TOTAL, .limit = 2 }, { "main.slow", "main.deep" } },
		{ { .sort = SORT_TOTAL, .limit = 4 << 20 },
		  { "main.slow", "main.deep", "main.quick" } },
		{ { .sort = SORT_SELF }, { "main.deep", "main.quick", "main.slow" } },
		{ { .sort = SORT_SELF, .limit = 1 }, { "main.deep" } },
		{ { .sort = SORT_SELF, .from_ns = 150 }, { "main.deep", "main.slow" } },
	};
	char path[TRACE_PATH_BYTES];

	fixture_write_text("1 entry main.quick 100 1000\n1 exit main.quick 100 1100\n"
			   "1 entry main.slow 100 1200\n1 entry main.deep 200 1210\n"
			   "1 exit main.deep 200 1910\n1 exit main.slow 100 2000\n",
			   true, path);
	for (size_t i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++) {
		struct report_options opt = sorted[i].opt;

		opt.by = BY_CALL;
		for (unsigned text = 0; text < 2; text++) {
			char *got = fixture_report(path, text ? "text" : "csv", &opt);
			const char *at = got;

			for (size_t k = 0; k < 3 && sorted[i].names[k]; k++) {
				at = strstr(at, sorted[i].names[k]);
				assert_non_null(at);
			}
			free(got);
		}
	}
	unlink(path);
}

TEST(test_windows)
{
	struct evlist l;
	char path[TRACE_PATH_BYTES];
	static const uint64_t goids[] = { 2, 3 };
	static const struct trace_view second = { .goids = &goids[0], .n_goids = 1 },
				       third = { .goids = &goids[1], .n_goids = 1 };
	static const struct {
		struct report_options opt;
		size_t rows;
	} windows[] = {
		{ { .by = BY_CALL }, 5 },
		{ { .by = BY_CALL, .view = &second }, 1 },
		{ { .by = BY_CALL, .view = &third }, 0 },
		{ { .by = BY_CALL, .from_ns = 100 }, 3 },
		{ { .by = BY_CALL, .from_ns = 100, .to_ns = 250 }, 1 },
		{ { .by = BY_CALL, .min_ns = 300 }, 3 },
		{ { .by = BY_CALL, .limit = 2 }, 2 },
		{ { .by = BY_CALL, .limit = 2, .min_ns = 300 }, 2 },
		{ { .by = BY_CALL, .limit = 4, .from_ns = 100 }, 3 },
		{ { .by = BY_CALL, .limit = 4 << 20 }, 5 },
		{ { .by = BY_FUNCTION, .limit = 1 }, 1 },
		{ { .by = BY_GOROUTINE }, 2 },
		{ { .by = BY_GOROUTINE, .fold = true }, 2 },
		{ { .by = BY_PATH }, 3 },
		{ { .by = BY_PATH, .depth = 2 }, 2 },
		{ { .by = BY_PATH, .min_share_pct = 20 }, 2 },
		{ { .by = BY_PATH, .min_share_pct = 24.5, .depth = 2 }, 1 },
		{ { .by = BY_PATH, .depth = 2, .limit = 1 }, 1 },
	};

	assert_int_equal(evlist_load(&l, FOLDER "/loss-goroutine.events"), 0);
	fixture_write(&l, path);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		char *got = fixture_report(path, "csv", &windows[i].opt);

		assert_int_equal(fixture_lines(got), windows[i].rows + 1);
		free(got);
	}
	unlink(path);
	evlist_free(&l);
}

static void count_lines(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	(void)line;
	++*(int *)ctx;
}

/* Sorted by a part of their self time; narrow terminals have no means. */
TEST(test_states)
{
	static const struct {
		enum report_sort sort;
		const char *first;
	} sorted[] = { { SORT_RUN, "main.main" },
		       { SORT_READY, "main.greet" },
		       { SORT_WAIT, "main.greet" },
		       { SORT_SYSCALL, "main.raw" } };
	char path[TRACE_PATH_BYTES];
	struct evlist l;

	assert_int_equal(evlist_load(&l, FOLDER "/states.events"), 0);
	fixture_write(&l, path);
	for (size_t i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++)
		for (enum report_by by = BY_FUNCTION; by <= BY_PATH; by++) {
			char *got = fixture_report(
				path, "csv",
				&(struct report_options){ .by = by, .sort = sorted[i].sort });
			const char *row = strchr(got, '\n');
			size_t n = strcspn(row + 1, ",");

			assert_true(n >= strlen(sorted[i].first));
			assert_memory_equal(row + 1 + n - strlen(sorted[i].first), sorted[i].first,
					    strlen(sorted[i].first));
			free(got);
		}
	char *wide = fixture_report(path, "text", &(struct report_options){ .width = 160 }),
	     *narrow = fixture_report(path, "text", &(struct report_options){ .width = 80 });

	assert_non_null(strstr(wide, "MEAN"));
	assert_null(strstr(narrow, "MEAN"));
	assert_non_null(strstr(narrow, "sleep 90%  "));
	assert_true(strchr(narrow, '\n') - narrow <= 80);
	free(wide);
	free(narrow);
	unlink(path);
	evlist_free(&l);
}

/* Without states, there is nothing to sort by. */
TEST(test_no_states)
{
	char path[TRACE_PATH_BYTES];
	static const struct report_options opts[] = { { .sort = SORT_WAIT }, { .by = BY_REASON } };
	FILE *out = fopen("/dev/null", "w");
	int logged = 0;

	assert_non_null(out);
	fixture_write_text("1 entry main.f 100 1000\n1 state - 0x103 1050\n", true, path);
	log_set_sink(count_lines, &logged);
	for (size_t i = 0; i < 2; i++) {
		struct trace_reader *r = trace_reader_open(path);

		assert_non_null(r);
		assert_int_equal(report_formats[0].write(r, &opts[i], out), -ENOTSUP);
		trace_reader_close(r);
	}
	log_set_sink(NULL, NULL);
	assert_int_equal(logged, 2);
	fclose(out);
	unlink(path);
}

TEST(test_full_disk)
{
	struct evlist l;
	char path[TRACE_PATH_BYTES];
	FILE *full = fopen("/dev/full", "w");
	int logged = 0;

	assert_non_null(full);
	assert_int_equal(evlist_load(&l, FOLDER "/go.events"), 0);
	fixture_write(&l, path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	log_set_sink(count_lines, &logged);
	assert_int_equal(report_formats[0].write(r, &(struct report_options){ .by = BY_FUNCTION },
						 full),
			 -ENOSPC);
	log_set_sink(NULL, NULL);
	assert_int_equal(logged, 1);
	trace_reader_close(r);
	fclose(full);
	unlink(path);
	evlist_free(&l);
}

TESTS(test_cases, test_formats, test_any_event_missing, test_images, test_sorted_calls,
      test_windows, test_states, test_no_states, test_full_disk)

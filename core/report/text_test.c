// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports as people read them: options that cut and fold, numbers and names out
 * of the common. What they print of fixtures/cases is stored beside the events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "report/report_fixture.h"
#include "base/text_format.h"
#include "report/text.h"

#define FOLDER "fixtures/cases/"

TEST(test_options)
{
	static const struct {
		const char *events, *format, *stored;
		struct report_options opt;
	} cases[] = {
		{ "fold", "text", "fold.places.txt", { .by = BY_GOROUTINE, .fold = true } },
		{ "fold", "csv", "fold.places.csv", { .by = BY_GOROUTINE, .fold = true } },
		{ "fold", "json", "fold.places.json", { .by = BY_GOROUTINE, .fold = true } },
		{ "fold", "text", "fold.goroutines.txt", { .by = BY_GOROUTINE } },
		{ "fold", "csv", "fold.goroutines.csv", { .by = BY_GOROUTINE } },
		{ "fold",
		  "text",
		  "fold.places-limit.txt",
		  { .by = BY_GOROUTINE, .fold = true, .limit = 1 } },
		{ "fold", "text", "fold.paths-depth.txt", { .by = BY_PATH, .depth = 2 } },
		{ "fold", "text", "fold.paths-share.txt", { .by = BY_PATH, .min_share_pct = 15 } },
		{ "fold",
		  "text",
		  "fold.paths-cut.txt",
		  { .by = BY_PATH, .depth = 3, .min_share_pct = 1, .limit = 3 } },
		{ "fold", "csv", "fold.paths-depth.csv", { .by = BY_PATH, .depth = 2 } },
		{ "fold", "json", "fold.paths-depth.json", { .by = BY_PATH, .depth = 1 } },
		{ "fold", "text", "fold.paths-calls.txt", { .by = BY_PATH, .sort = SORT_CALLS } },
		{ "stop-kinds",
		  "text",
		  "stop-kinds.functions.txt",
		  { .by = BY_FUNCTION, .columns = FIXTURE_COLUMNS } },
		{ "goexit",
		  "text",
		  "goexit.functions.txt",
		  { .by = BY_FUNCTION, .columns = FIXTURE_COLUMNS } },
		{ "goexit", "text", "goexit.paths.txt", { .by = BY_PATH } },
		{ "image", "text", "image.goroutines.txt", { .by = BY_GOROUTINE } },
		{ "empty",
		  "text",
		  "empty.functions.txt",
		  { .by = BY_FUNCTION, .columns = FIXTURE_COLUMNS } },
		{ "empty", "text", "empty.paths.txt", { .by = BY_PATH } },
		{ "empty", "json", "empty.calls.json", { .by = BY_CALL } },
		{ "no-duration", "text", "no-duration.hist.txt", { .hist = "*" } },
		{ "no-duration", "csv", "no-duration.hist.csv", { .hist = "*" } },
		{ "no-duration", "json", "no-duration.hist.json", { .hist = "*" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char file[256], path[TRACE_PATH_BYTES];
		struct evlist l;

		snprintf(file, sizeof(file), FOLDER "%s.events", cases[i].events);
		assert_int_equal(evlist_load(&l, file), 0);
		fixture_write(&l, path);
		evlist_free(&l);
		char *got = fixture_report(path, cases[i].format, &cases[i].opt);

		snprintf(file, sizeof(file), FOLDER "%s", cases[i].stored);
		fixture_same(file, got);
		free(got);
		unlink(path);
	}
}

/* A call in a call, `depth` of them, each of another function and 10 ns apart. */
static void nested(char path[TRACE_PATH_BYTES], unsigned depth)
{
	char *events = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&events, &size);

	assert_non_null(out);
	for (unsigned i = 0; i < depth; i++)
		fprintf(out, "1 entry main.f%u %u %u\n", i, 100 * (i + 1), 1000 + 10 * i);
	for (unsigned i = depth; i-- > 0;)
		fprintf(out, "1 exit main.f%u %u %u\n", i, 100 * (i + 1),
			1000 + 10 * (2 * depth - i));
	assert_int_equal(fclose(out), 0);
	fixture_write_text(events, true, path);
	free(events);
}

/* Output grows with the depth, not with its square, and says how deep a line is. */
TEST(test_deep)
{
	char path[TRACE_PATH_BYTES];

	nested(path, 5000);
	for (enum report_by by = BY_PATH; by <= BY_CALL; by++) {
		if (by == BY_GOROUTINE)
			continue;
		char *text = fixture_report(path, "text", &(struct report_options){ .by = by });

		assert_true(strlen(text) < 5000 * 160);
		assert_non_null(strstr(text, "[4999] main.f4999\n"));
		assert_null(strstr(text, "[40]"));
		free(text);
	}
	unlink(path);
}

/* Columns stay apart and aligned when numbers are large. */
TEST(test_large_numbers)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text("18446744073709551615 entry main.f 100 1000\n"
			   "18446744073709551615 exit main.f 100 9000000000000001000\n",
			   true, path);
	char *functions = fixture_report(path, "text",
					 &(struct report_options){ .by = BY_FUNCTION });
	char *goroutines = fixture_report(path, "text",
					  &(struct report_options){ .by = BY_GOROUTINE });
	char *calls = fixture_report(path, "text", &(struct report_options){ .by = BY_CALL });

	assert_non_null(strstr(
		functions,
		"\n9000000000s 100.0% 9000000000s 100.0%     1 9000000000s 9000000000s 9000000000s 9000000000s  main.f\n"));
	assert_non_null(strstr(goroutines, "           GOROUTINE CREATOR"));
	assert_non_null(strstr(goroutines, "\n18446744073709551615       - "));
	assert_non_null(
		strstr(calls, "\n18446744073709551615    0.000000000 9000000000s  main.f\n"));
	free(functions);
	free(goroutines);
	free(calls);
	unlink(path);
}

/* More paths than the tree takes: text, csv and json all say so. */
/* No two events of a program are as far apart: a file of others would be too small for its paths.
 */
static uint64_t later(uint64_t *ts_ns)
{
	static uint64_t random = 1;

	random = random * 6364136223846793005u + 1442695040888963407u;
	return *ts_ns += 20 + (random >> 57);
}

TEST(test_full_tree)
{
	enum { FUNCS = 1010 };
	struct evlist l = { 0 };
	char path[TRACE_PATH_BYTES], name[32];
	uint64_t ts_ns = 0;

	for (unsigned f = 0; f < FUNCS; f++) {
		snprintf(name, sizeof(name), "main.f%04u", f);
		assert_int_equal(trace_info_add_func(&l.info, &(struct trace_func){ .name = name }),
				 0);
		for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT; kind++)
			assert_int_equal(
				trace_info_add_site(&l.info,
						    &(struct trace_site){ f, TRACE_NONE, 0, kind }),
				0);
	}
	l.events = calloc(FUNCS * (FUNCS + 1) * 2, sizeof(*l.events));
	assert_non_null(l.events);
	for (unsigned f = 0; f < FUNCS; f++) {
		l.events[l.n++].h = (struct event){ later(&ts_ns), 1, 2 * f, 100, 1, EV_ENTRY, 0 };
		for (unsigned g = 0; g < FUNCS; g++) {
			l.events[l.n++].h = (struct event){ later(&ts_ns), 1, 2 * g, 200, 1,
							    EV_ENTRY,      0 };
			l.events[l.n++].h = (struct event){ later(&ts_ns), 1, 2 * g + 1, 200, 1,
							    EV_EXIT,       0 };
		}
		l.events[l.n++].h =
			(struct event){ later(&ts_ns), 1, 2 * f + 1, 100, 1, EV_EXIT, 0 };
	}
	fixture_write(&l, path);
	evlist_free(&l);
	char *text = fixture_report(path, "text",
				    &(struct report_options){ .by = BY_PATH, .limit = 5 });
	char *csv = fixture_report(
		path, "csv",
		&(struct report_options){ .by = BY_PATH, .sort = SORT_TOTAL, .limit = 2000 });
	char *json = fixture_report(path, "json",
				    &(struct report_options){ .by = BY_FUNCTION, .limit = 1 });

	/*
	 * The tree takes a million nodes; each of the first 990 functions needs 1,010 (a call of
	 * itself folds into its own). Function 990 keeps its node and 99 of 1,009, of the 19 after
	 * it all 1,011 calls are [other]'s: 910 + 19 * 1,011.
	 */
	assert_non_null(strstr(
		text, "\n20119 calls are counted under [other]: the tree of paths is full\n"));
	assert_non_null(strstr(csv, "\n[other],20119,"));
	assert_non_null(strstr(json, "\"folded_calls\": 20119,"));
	free(text);
	free(csv);
	free(json);
	unlink(path);
}

TEST(test_no_call_matches)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text("1 entry main.f 100 1000\n1 exit main.f 100 2000\n", true, path);
	for (uint64_t min_ns = 1000; min_ns <= 1001; min_ns++) {
		char *text = fixture_report(
			path, "text", &(struct report_options){ .by = BY_CALL, .min_ns = min_ns });

		assert_int_equal(strstr(text, "\nno call matches --goid, --from, --to, --min\n") !=
					 NULL,
				 min_ns > 1000);
		free(text);
	}
	unlink(path);
}

TEST(test_words)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {
		{ 0, "0ns" },
		{ 999, "999ns" },
		{ 1000, "1.00us" },
		{ 9994, "9.99us" },
		{ 9996, "10.0us" },
		{ 99960, "100us" },
		{ 999499, "999us" },
		{ 999500, "1.00ms" },
		{ 999499999, "999ms" },
		{ 999500000, "1.00s" },
		{ 60000000000, "60.0s" },
		{ 86400000000000, "86400s" },
		{ UINT64_MAX, "18446744074s" },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_string_equal(HUMAN(times[i].ns), times[i].text);
	assert_string_equal(human_count(0, (char[16]){ 0 }), "0");
	assert_string_equal(human_count(99999, (char[16]){ 0 }), "99999");
	assert_string_equal(human_count(100000, (char[16]){ 0 }), "100k");
	assert_string_equal(human_count(999600, (char[16]){ 0 }), "1.00M");
	assert_string_equal(human_count(UINT64_MAX, (char[16]){ 0 }), "18.4E");
	assert_int_equal(text_width(99999, 5), 5);
	assert_int_equal(text_width(100000, 5), 6);
	assert_int_equal(text_width(UINT64_MAX, 1), 20);
}

/* Times below what the correction may be off are bounds, totals like self times. */
TEST(test_unsure)
{
	const struct call_stats small = { .self_ns = 200, .total_ns = 900, .uncertainty_ns = 1000 };
	const struct call_stats large = { .self_ns = 200,
					  .total_ns = 1000,
					  .uncertainty_ns = 1000 };
	/* it ran for less than that, and had no processor for the rest */
	const struct call_stats about = { .self_ns = 1200,
					  .total_ns = 1200,
					  .uncertainty_ns = 1000,
					  .off_self.off_cpu_ns = 400 };
	char buf[SELF_BYTES];

	assert_string_equal(text_self(&small, buf), "<1.20us");
	assert_string_equal(text_total(&small, buf), "<1.90us");
	assert_string_equal(text_self(&large, buf), "<1.20us");
	assert_string_equal(text_total(&large, buf), "1.00us");
	assert_string_equal(text_self(&about, buf), "≈1.20us");
}

TEST(test_safe)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	text_safe(out, "größe <b> \x1b[2J\t\x7f \xc2\x9b"
		       "1m \xc2\xa9 \xc2 \u202e \u2069 \u2060");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(
		text, "größe <b> \\x1b[2J\\x09\\x7f \\x9b1m \xc2\xa9 \\xc2 \\u202e \\u2069 \u2060");
	free(text);
}

/* A lone 0x9b begins a command of a terminal that knows no UTF-8. */
TEST(test_frame)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	text_frame(out, "a;gr\u00f6\u00dfe\x9b"
			"2J\n\xc2\x9b\u202ez\xff");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "a,gr\u00f6\u00dfe 2J   z ");
	free(text);
}

TESTS(test_frame, test_options, test_deep, test_large_numbers, test_full_tree, test_no_call_matches,
      test_words, test_unsure, test_safe)

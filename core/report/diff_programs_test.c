// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons of samples of several programs: which function and path is of which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "report/diff_formats.h"
#include "report/diff_runs_text.h"
#include "trace/programs_fixture.h"

/* A has both programs, B only prog, and twice as much of it. C is B with another name of prog. */
static char a[] = "/tmp/diff-a-XXXXXX", b[] = "/tmp/diff-b-XXXXXX", c[] = "/tmp/diff-c-XXXXXX";

static int make(char *path, const struct programs_fixture *of)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return programs_fixture_write(path, of);
}

FIXTURE(set_up)
{
	return make(a, &(struct programs_fixture){ .kid = "/opt/kid", .times = 100 }) ||
	       make(b, &(struct programs_fixture){ .times = 200 }) ||
	       make(c, &(struct programs_fixture){ .prog = "/bin/new", .times = 200 });
}

FIXTURE(tear_down)
{
	return unlink(a) | unlink(b) | unlink(c);
}

/* To be freed. */
static char *compare(const char *x, const char *y, const char *format, struct diff_options opt)
{
	const struct diff_format *f = diff_formats;
	struct trace_reader *const r[2] = { trace_reader_open(x), trace_reader_open(y) };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(out && r[0] && r[1]);
	while (strcmp(f->name, format))
		f++;
	opt.file[0] = "a.gotrace";
	opt.file[1] = "b.gotrace";
	assert_int_equal(f->write(r, &opt, out), 0);
	trace_reader_close(r[0]);
	trace_reader_close(r[1]);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void says(const char *text, const char *what, bool has)
{
	if (!strstr(text, what) == has)
		fail_msg("'%s' is %sin\n%s", what, has ? "not " : "", text);
}

TEST(functions_are_of_a_program)
{
	char *csv = compare(a, b, "csv", (struct diff_options){ .sort = DIFF_NAME }),
	     *json = compare(a, b, "json", (struct diff_options){ 0 }),
	     *text = compare(a, b, "text", (struct diff_options){ 0 });

	says(csv, ",run_high_pct,program\n", true);
	says(csv, "main.work,gone,30.0000,0.0000,", true);
	says(csv, ",kid\n", true);
	says(csv, "main.work,changed,60.0000,100.0000,", true);
	says(csv, ",prog\n", true);
	says(json, "\"program\": \"kid\"", true);
	says(text, "PROGRAM  FUNCTION\n", true);
	says(text, "  kid      main.work\n", true);
	says(text, "  prog     main.work\n", true);
	free(csv);
	free(json);
	free(text);
}

/* Also those of a side that has one program. */
TEST(paths_begin_with_a_program)
{
	for (unsigned swap = 0; swap < 2; swap++) {
		char *csv = compare(swap ? b : a, swap ? a : b, "csv",
				    (struct diff_options){ .by = BY_PATH });

		says(csv,
		     swap ? "[prog];main.main;main.work,changed,100.0000,60.0000,"
			  : "[prog];main.main;main.work,changed,60.0000,100.0000,",
		     true);
		says(csv,
		     swap ? "[kid];main.main;main.work,new," : "[kid];main.main;main.work,gone,",
		     true);
		says(csv, "\nmain.main", false);
		free(csv);
	}
	char *folded = compare(b, a, "folded", (struct diff_options){ 0 });

	assert_string_equal(folded, "[kid];main.main;[kid+0x3000] 0 1000000000\n"
				    "[kid];main.main;main.work 0 3000000000\n"
				    "[prog];main.main;main.work 12000000000 6000000000\n");
	free(folded);
}

/* A program that is alone on both sides may have another name after a change. */
TEST(single_programs_are_not_named)
{
	char *csv = compare(b, c, "csv", (struct diff_options){ .by = BY_PATH, .sort = DIFF_NAME }),
	     *json = compare(b, c, "json", (struct diff_options){ 0 }),
	     *folded = compare(b, c, "folded", (struct diff_options){ 0 });

	says(csv, "program", false);
	says(json, "\"program\"", false);
	assert_string_equal(folded, "main.main;main.work 12000000000 12000000000\n");
	free(csv);
	free(json);
	free(folded);
}

static char *compare_runs(const char *const files[2][2],
			  int (*write)(const struct diff_runs *d, const struct diff_options *opt,
				       FILE *out))
{
	static const size_t n[2] = { 2, 2 };
	const struct diff_options opt = { .threshold_pct = DIFF_THRESHOLD_PCT,
					  .min_ns = DIFF_MIN_AUTO };
	struct diff_runs d;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(diff_runs_init(&d, n), 0);
	for (unsigned i = 0; i < 4; i++) {
		struct trace_reader *r = trace_reader_open(files[i / 2][i % 2]);

		assert_non_null(r);
		assert_int_equal(diff_runs_add(&d, i / 2, r, false), 0);
		trace_reader_close(r);
	}
	diff_runs_settle(&d);
	assert_int_equal(write(&d, &opt, out), 0);
	diff_runs_free(&d);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(functions_of_several_runs)
{
	const char *const mixed[2][2] = { { a, a }, { b, b } }, *const alone[2][2] = { { b, b },
										       { c, c } };
	char *csv = compare_runs(mixed, diff_runs_csv), *json = compare_runs(mixed, diff_runs_json),
	     *text = compare_runs(mixed, diff_runs_text);

	says(csv, "function,run_a,run_b,change_pct,low_pct,high_pct,program\n", true);
	says(csv, ",prog\n", true);
	says(csv, ",kid\n", true);
	says(json, "\"program\": \"kid\"", true);
	says(text, "  prog     main.work\n", true);
	free(csv);
	free(json);
	free(text);
	csv = compare_runs(alone, diff_runs_csv);
	assert_string_equal(csv, "function,run_a,run_b,change_pct,low_pct,high_pct\n");
	free(csv);
}

TESTS_BETWEEN(set_up, tear_down, functions_are_of_a_program, paths_begin_with_a_program,
	      single_programs_are_not_named, functions_of_several_runs)

// SPDX-License-Identifier: BSD-2-Clause
/* Reports of samples of several programs: which function is of which. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "report/report_fixture.h"
#include "trace/programs_fixture.h"

static char path[] = "/tmp/programs-XXXXXX";

FIXTURE(set_up)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return programs_fixture_file(path, "/opt/kid");
}

FIXTURE(tear_down)
{
	return unlink(path);
}

static void expect(struct report_options opt, const char *want)
{
	char *got = fixture_report(path, "csv", &opt);

	assert_string_equal(got, want);
	free(got);
}

TEST(functions_are_of_a_program)
{
	expect((struct report_options){ 0 },
	       "function,samples,share_pct,self_samples,self_pct,program\n"
	       "main.work,6,60.0000,6,60.0000,prog\n"
	       "main.work,3,30.0000,3,30.0000,kid\n"
	       "[kid+0x3000],1,10.0000,1,10.0000,kid\n"
	       "[kid],4,40.0000,0,0.0000,kid\n"
	       "[prog],6,60.0000,0,0.0000,prog\n"
	       "main.main,6,60.0000,0,0.0000,prog\n"
	       "main.main,4,40.0000,0,0.0000,kid\n");
}

TEST(paths_begin_with_a_program)
{
	expect((struct report_options){ .by = BY_PATH },
	       "path,samples,share_pct,self_samples,self_pct\n"
	       "[prog];main.main;main.work,6,60.0000,6,60.0000\n"
	       "[kid];main.main;main.work,3,30.0000,3,30.0000\n"
	       "[kid];main.main;[kid+0x3000],1,10.0000,1,10.0000\n"
	       "[kid],4,40.0000,0,0.0000\n"
	       "[kid];main.main,4,40.0000,0,0.0000\n"
	       "[prog],6,60.0000,0,0.0000\n"
	       "[prog];main.main,6,60.0000,0,0.0000\n");
}

static void says(const char *format, struct report_options opt, const char *what, bool has)
{
	char *text = fixture_report(path, format, &opt);

	if (!strstr(text, what) == has)
		fail_msg("'%s' is %sin\n%s", what, has ? "not " : "", text);
	free(text);
}

TEST(text_begins_with_shares)
{
	says("text", (struct report_options){ 0 }, "programs: prog 60.0%, kid 40.0%\n", true);
	says("text", (struct report_options){ .by = BY_PATH }, "programs: prog 60.0%", true);
	says("text", (struct report_options){ 0 }, "  PROGRAM  FUNCTION\n", true);
	says("text", (struct report_options){ 0 }, "       3  kid      main.work\n", true);
	/* the shell and an idle process have no samples */
	says("text", (struct report_options){ 0 }, "in 1 goroutine of 3 processes", true);
	says("json", (struct report_options){ 0 }, "\"program\": \"kid\"", true);
	says("json", (struct report_options){ .by = BY_PATH }, "\"programs\": [", true);
}

/* Only a program with goroutines has samples outside of these. */
TEST(c_programs_have_no_goroutines)
{
	says("text", (struct report_options){ 0 }, "in no goroutine", false);
	assert_int_equal(programs_fixture_write(path, &(struct programs_fixture){ .kid = "/opt/kid",
										  .outside = 2 }),
			 0);
	says("text", (struct report_options){ 0 }, "\n2 samples in no goroutine\n", true);
	assert_int_equal(programs_fixture_file(path, "/opt/kid"), 0);
}

/* What is left by a view is of one program: as if the others had not been recorded. */
TEST(one_program_stays_as_it_was)
{
	const char *only[] = { "kid" };
	const struct trace_view kid = { .processes = only, .n_processes = 1 };

	expect((struct report_options){ .view = &kid },
	       "function,samples,share_pct,self_samples,self_pct\n"
	       "main.work,3,75.0000,3,75.0000\n"
	       "[kid+0x3000],1,25.0000,1,25.0000\n"
	       "main.main,4,100.0000,0,0.0000\n");
	says("text", (struct report_options){ .view = &kid }, "rogram", false);
	says("json", (struct report_options){ .view = &kid }, "program", false);
}

/* The last parts of two paths may be the same. */
TEST(names_differ)
{
	assert_int_equal(programs_fixture_file(path, "/opt/prog"), 0);
	says("text", (struct report_options){ 0 }, "programs: /bin/prog 60.0%, /opt/prog 40.0%\n",
	     true);
	says("csv", (struct report_options){ .by = BY_PATH }, "[/opt/prog];main.main,4", true);
	assert_int_equal(programs_fixture_file(path, "/opt/kid"), 0);
}

/* A program by itself is selected by its name. */
TEST(focus_takes_a_program)
{
	const char *focus[] = { "[kid]" };
	const struct trace_view kid = { .focus = focus, .n_focus = 1 };

	says("csv", (struct report_options){ .view = &kid, .by = BY_PATH },
	     "[kid];main.main;main.work,3,75.0000", true);
}

TESTS_BETWEEN(set_up, tear_down, functions_are_of_a_program, paths_begin_with_a_program,
	      text_begins_with_shares, c_programs_have_no_goroutines, one_program_stays_as_it_was,
	      names_differ, focus_takes_a_program)

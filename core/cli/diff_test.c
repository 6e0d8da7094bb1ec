// SPDX-License-Identifier: BSD-2-Clause
/* `gotrace diff` from outside: exit status and messages for wrong usage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/child_fixture.h"
#include "report/report_fixture.h"

/* Test programs link the libraries only, and argp exits: run the built command in a child. */
#include "cli/args.c"
#include "cli/view_options.c"
#include "cli/stored_trace.c"
#include "cli/output.c"
#include "cli/pager.c"
#include "cli/diff.c"

#define CALL "1 entry main.f 100 1000\n1 exit main.f 100 2000\n"

static char file[2][TRACE_PATH_BYTES];
static char slower[2][TRACE_PATH_BYTES]; /* with states: main.f runs 100 us, then 110 us */

static void write_calls(unsigned ns, char path[TRACE_PATH_BYTES])
{
	char text[8192] = "@set states 1\n";
	size_t n = strlen(text);

	for (unsigned i = 0, at = 1000; i < 50; i++, at += 2 * ns)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "1 entry main.f 100 %u\n1 exit main.f 100 %u\n", at, at + ns);
	fixture_write_text(text, true, path);
}

FIXTURE(write_files)
{
	fixture_write_text(CALL, true, file[0]);
	fixture_write_text(CALL "1 entry main.g 100 3000\n1 exit main.g 100 4000\n", true, file[1]);
	write_calls(100000, slower[0]);
	write_calls(110000, slower[1]);
	return 0;
}

FIXTURE(remove_files)
{
	return unlink(file[0]) | unlink(file[1]) | unlink(slower[0]) | unlink(slower[1]);
}

static void child(void *ctx)
{
	const char *const *args = *(const char *const *const *)ctx;
	char *argv[10] = { (char *)"gotrace diff" };
	int argc = 1;

	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)args[argc - 1];
	exit(cmd_diff(argc, argv));
}

/* The exit status; `said` gets what was written to both outputs. */
static int run(const char *const *args, char said[8192])
{
	int fds[2];

	fixture_output(0, fds);
	return fixture_child(fds, child, &args, said, 8192);
}

struct usage {
	const char *args[9];
	int status;
	const char *says;
};

static void check(const struct usage *cases, size_t n)
{
	char said[8192];

	for (size_t i = 0; i < n; i++) {
		int status = run(cases[i].args, said);

		if (status != cases[i].status || !strstr(said, cases[i].says))
			fail_msg("case %zu: status %d, not %d; \"%s\" in:\n%s", i, status,
				 cases[i].status, cases[i].says, said);
	}
}

TEST(test_status)
{
	const struct usage cases[] = {
		{ { file[0], file[1] }, 0, "main.g  (not traced in A)" },
		{ { file[0], file[0] }, 0, "no change\n" },
		{ { file[0], file[1], "--by=path", "--format=csv", "-n", "1", "--sort=calls",
		    "--threshold=5%" },
		  0,
		  "path,change,calls_a," },
		{ { file[0], file[1], "--format=json", "--min=2ms" }, 0, "\"min_ns\": 2000000," },
		{ { file[0], file[1], "--format=json", "--min=0", "--threshold=0.5" },
		  0,
		  "\"threshold_pct\": 0.5," },
		{ { file[0], "/nowhere" }, 1, "/nowhere" },
		{ { "/dev/null", file[0] }, 1, "/dev/null" },
		{ { file[0] }, 2, "give two traces" },
		{ { NULL }, 2, "give two traces" },
		{ { file[0], file[1], file[0] }, 2, "two traces at a time" },
		{ { "-", "-" }, 2, "only one of the traces can be standard input" },
		{ { file[0], file[1], "--by=call" },
		  2,
		  "there is no comparison by 'call'; there are function, path" },
		{ { file[0], file[1], "--format=xml" },
		  2,
		  "there is no format 'xml'; there are text, csv, json" },
		{ { file[0], file[1], "--sort=p99" }, 2, "there is no column to sort by 'p99'" },
		{ { file[0], file[1], "--threshold=lots" }, 2, "--threshold takes a percentage" },
		{ { file[0], file[1], "--threshold=-1" }, 2, "--threshold takes a percentage" },
		{ { file[0], file[1], "--min=5" }, 2, "--min takes a time such as 10us" },
		{ { file[0], file[1], "-n", "x" }, 2, "-n takes a number, not 'x'" },
	};

	check(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(test_limit)
{
	const struct usage cases[] = {
		{ { slower[0], slower[1], "-s", "run" }, 0, "main.f\n" },
		{ { slower[0], slower[1], "--fail-if", "> 5%" },
		  3,
		  "RUN of main.f grew by 10.0% (10.0% to 10.0%), --fail-if '> 5%'" },
		{ { slower[0], slower[1], "--fail-if=>9.5" }, 3, "RUN of main.f grew by 10.0%" },
		{ { slower[0], slower[1], "--fail-if=main.* > 5%", "-F", "csv" },
		  3,
		  "RUN of main.f" },
		{ { slower[0], slower[1], "--fail-if=> 11%" }, 0, "main.f" },
		{ { slower[0], slower[1], "--fail-if=main.g > 5%" }, 0, "main.f" },
		{ { slower[1], slower[0], "--fail-if=> 5%" }, 0, "main.f" },
		{ { slower[0], slower[0], "--", slower[1], slower[1], "--fail-if=> 5%" },
		  1,
		  "--fail-if=> 5%" },
		{ { "--fail-if=> 5%", slower[0], slower[0], "--", slower[1], slower[1] },
		  3,
		  "RUN of main.f grew by 10.0%" },
		{ { file[0], file[1], "--fail-if=> 5%" }, 1, "needs states on both sides" },
		{ { slower[0], slower[1], "--fail-if=5%" }, 2, "--fail-if takes '> 5%'" },
		{ { slower[0], slower[1], "--fail-if=> x" }, 2, "--fail-if takes '> 5%'" },
		{ { slower[0], slower[1], "--fail-if=> 5%%" }, 2, "--fail-if takes '> 5%'" },
		{ { slower[0], slower[1], "--fail-if=> -1" }, 2, "--fail-if takes '> 5%'" },
		{ { slower[0], slower[1], "--fail-if=> 5%", "-F", "folded" },
		  2,
		  "--fail-if does not go with --format=folded" },
		{ { slower[0], slower[1], "--fail-if=> 5%", "-b", "path" },
		  2,
		  "--fail-if does not go with --by=path" },
	};

	check(cases, sizeof(cases) / sizeof(cases[0]));
}

TESTS_BETWEEN(write_files, remove_files, test_status, test_limit)

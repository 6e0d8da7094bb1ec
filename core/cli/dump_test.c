// SPDX-License-Identifier: BSD-2-Clause
/* The verb as it is called: what it prints, and its exit status. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/child_fixture.h"
#include "report/report_fixture.h"

/* Test programs link the libraries only, and argp ends the process: the verb itself, in a child. */
#include "cli/args.c"
#include "cli/view_options.c"
#include "cli/stored_trace.c"
#include "cli/output.c"
#include "cli/dump.c"

#define CALL "1 entry main.f 100 1000\n1 exit main.f 100 2000\n"

struct dump_call {
	const char *file, *second;
	int out; /* standard output; -1: as standard error */
};

static void child(void *ctx)
{
	const struct dump_call *c = ctx;
	char *argv[] = { (char *)"gotrace dump", (char *)c->file, (char *)c->second, NULL };

	if (c->out >= 0)
		dup2(c->out, 1);
	exit(cmd_dump(c->second ? 3 : 2, argv));
}

/* The exit status; the start of what was written to both outputs in said. */
static int run(const char *file, const char *second, int out, char said[4096])
{
	struct dump_call c = { file, second, out };
	int fds[2];

	fixture_output(0, fds);
	return fixture_child(fds, child, &c, said, 4096);
}

TEST(test_status)
{
	char path[TRACE_PATH_BYTES], said[4096];
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(full >= 0);
	fixture_write_text(CALL, true, path);
	assert_int_equal(run(path, NULL, -1, said), 0);
	assert_string_equal(said, "@func main.f\n@site entry main.f\n@site exit main.f\n" CALL
				  "# complete\n");
	assert_int_equal(run(path, NULL, full, said), 1);
	assert_non_null(strstr(said, "the output could not be written: No space left on device"));
	assert_int_equal(run("/nowhere", NULL, -1, said), 1);
	assert_non_null(strstr(said, "/nowhere"));
	assert_int_equal(run("/dev/null", NULL, -1, said), 1);
	assert_int_equal(run("--all", NULL, -1, said), 2);
	assert_int_equal(run(path, path, -1, said), 2);
	assert_int_equal(run("--help", NULL, -1, said), 0);
	assert_non_null(strstr(said, "GOROUTINE KIND FUNCTION DEPTH TIME_NS"));
	unlink(path);
	close(full);
}

TESTS(test_status)

// SPDX-License-Identifier: BSD-2-Clause
/* The verb as it is called: what it prints, and its exit status. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/report_fixture.h"

/* Test programs link the libraries only, and argp ends the process: the verb itself, in a child. */
#include "cli/args.c"
#include "cli/view_options.c"
#include "cli/stored_trace.c"
#include "cli/output.c"
#include "cli/dump.c"

#define CALL "1 entry main.f 100 1000\n1 exit main.f 100 2000\n"

/* The exit status; the start of what was written to both outputs in said. */
static int run(const char *file, const char *second, int out, char said[4096])
{
	char *argv[] = { (char *)"gotrace dump", (char *)file, (char *)second, NULL };
	int fds[2], status;
	ssize_t got;
	size_t n = 0;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		dup2(out < 0 ? fds[1] : out, 1);
		dup2(fds[1], 2);
		close(fds[0]);
		exit(cmd_dump(second ? 3 : 2, argv));
	}
	close(fds[1]);
	while (n < 4095 && (got = read(fds[0], said + n, 4095 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_status(void **state)
{
	char path[TRACE_PATH_BYTES], said[4096];
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

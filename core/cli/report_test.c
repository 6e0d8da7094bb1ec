// SPDX-License-Identifier: BSD-2-Clause
/* `gotrace report` from outside: order of rows, wrong usage, and reading on a terminal. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/child_fixture.h"
#include "report/report_fixture.h"

/* Test programs link the libraries only, and argp exits: run the built command in a child. */
#include "trace/samples_fixture.h"
#include "cli/args.c"
#include "cli/view_options.c"
#include "cli/stored_trace.c"
#include "cli/open_up.c"
#include "cli/trace_binary.c"
#include "cli/output.c"
#include "cli/pager.c"
#include "cli/report.c"

#define SAID_BYTES   16384
#define LONG_PACKAGE "example.com/folder/folder/folder/package."
#define LONG_NAME    LONG_PACKAGE "(*Receiver).Method"

static char file[TRACE_PATH_BYTES];

/* main.f: 99 calls of 10 ns and one of 1000 ns; main.g: two of 400 ns; the long name: one of 50 ns.
 */
FIXTURE(write_file)
{
	char *events = NULL;
	size_t size;
	FILE *out = open_memstream(&events, &size);
	unsigned at = 1000;

	assert_non_null(out);
	for (unsigned i = 0; i < 103; i++) {
		const char *name = i < 100 ? "main.f" : i < 102 ? "main.g" : LONG_NAME;
		unsigned ns = i < 99 ? 10 : i < 100 ? 1000 : i < 102 ? 400 : 50;

		fprintf(out, "1 entry %s 100 %u\n1 exit %s 100 %u\n", name, at, name, at + ns);
		at += ns + 1;
	}
	assert_int_equal(fclose(out), 0);
	fixture_write_text(events, true, file);
	free(events);
	return 0;
}

FIXTURE(remove_file)
{
	return unlink(file);
}

/* Reads until the other ends are closed. */
static void drain(int fd, char said[SAID_BYTES])
{
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, said + n, SAID_BYTES - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(fd);
}

static void child(void *ctx)
{
	const char *const *args = *(const char *const *const *)ctx;
	char *argv[12] = { (char *)"gotrace report", file };
	int argc = 2;

	for (; args[argc - 2]; argc++)
		argv[argc] = (char *)args[argc - 2];
	exit(cmd_report(argc, argv));
}

/* The exit status of report; `said` gets what it wrote, to a terminal of so many columns if any. */
static int run(const char *const *args, unsigned columns, char said[SAID_BYTES])
{
	int fds[2];

	fixture_output(columns, fds);
	return fixture_child(fds, child, &args, said, SAID_BYTES);
}

/* A pipe without a reader ends the report silently. The reader is gone before the report begins. */
TEST(test_closed_pipe)
{
	static const char *const formats[] = { "text", "csv", "json" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char *argv[] = { (char *)"gotrace report", file, (char *)"--format",
				 (char *)formats[i], NULL };
		char said[SAID_BYTES];
		int out[2], err[2], status;

		assert_int_equal(pipe(out), 0);
		assert_int_equal(pipe(err), 0);
		close(out[0]);
		fflush(NULL);
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			dup2(out[1], 1);
			dup2(err[1], 2);
			exit(cmd_report(4, argv));
		}
		close(out[1]);
		close(err[1]);
		drain(err[0], said);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_string_equal(said, "");
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	}
}

/* A part behind the end of the trace is a mistake, in each report. */
TEST(test_too_late)
{
	static const char *const args[][3] = {
		{ "--from=1h", NULL },
		{ "--from=1h", "--by=call", NULL },
		{ "--from=1h", "--by=path", NULL },
		{ "--from=1h", "--format=json", NULL },
	};
	char said[SAID_BYTES];

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		assert_int_equal(run(args[i], 0, said), STATUS_BAD_INPUT);
		assert_non_null(strstr(said, "gotrace: --from 3600s: the trace ends "));
		assert_true(fixture_lines(said) == 1);
	}
}

/* Samples are no events. */
TEST(test_too_late_samples)
{
	static const char *const args[] = { "--from=1h", NULL };
	char events[TRACE_PATH_BYTES], said[SAID_BYTES];

	memcpy(events, file, sizeof(events));
	snprintf(file, sizeof(file), "/tmp/gotrace-late-%d", (int)getpid());
	assert_int_equal(samples_fixture_file(file, true), 0);
	assert_int_equal(run(args, 0, said), STATUS_BAD_INPUT);
	assert_non_null(strstr(said, " after its first sample"));
	unlink(file);
	memcpy(file, events, sizeof(events));
}

/* Does a come before b in text? */
static bool before(const char *text, const char *a, const char *b)
{
	const char *x = strstr(text, a), *y = strstr(text, b);

	return x && y && x < y;
}

TEST(test_sort)
{
	static const struct {
		const char *args[4];
		const char *first, *then;
	} cases[] = {
		{ { NULL }, "main.f\n", "main.g\n" },
		{ { "--sort=mean" }, "main.g\n", "Method\n" },
		{ { "--sort=p50" }, "main.g\n", "Method\n" },
		{ { "--sort=p50" }, "Method\n", "main.f\n" },
		{ { "--sort=p99" }, "main.g\n", "Method\n" },
		{ { "--sort=max" }, "main.f\n", "main.g\n" },
		{ { "--sort=max", "--by=path" }, "main.f\n", "main.g\n" },
		{ { "--sort=mean", "--by=path" }, "main.g\n", "main.f\n" },
		{ { "--by=call", "-n0" }, "main.f\n", "main.g\n" },
		{ { "--by=call", "-n2", "--sort=total" }, "main.f\n", "main.g\n" },
		/* 99 of 100 took 10 ns, so p99 has nothing of the slowest */
		{ { NULL },
		  "  10ns   10ns 1.00us  main.f\n",
		  "400ns  400ns  400ns  400ns  main.g\n" },
		{ { NULL },
		  "main.f has 70.1% of the time as its own; its callees are not traced (-p ",
		  " events, " },
		{ { NULL }, "  FUNCTION\n", "main.f\n" },
	};
	char said[SAID_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(run(cases[i].args, 0, said), 0);
		if (!before(said, cases[i].first, cases[i].then))
			fail_msg("case %zu: '%s' is not before '%s' in:\n%s", i, cases[i].first,
				 cases[i].then, said);
	}
}

TEST(test_part)
{
	static const struct {
		const char *args[5], *has, *lacks;
	} cases[] = {
		{ { "--focus", "main.g" },
		  "shown: 2 of 103 calls, 800ns of 2.84us (28.2%)",
		  "main.f" },
		{ { "--focus=main.g", "--focus=main.f" },
		  "--focus main.g, --focus main.f",
		  "Method" },
		{ { "--ignore=main.?", "--by=path" }, "Method\n", "main.g\n" },
		{ { "--goid=1,7", "--goid=8" },
		  "shown: 103 of 103 calls, 2.84us of 2.84us (100.0%) as measured: --goid 1,7,8;",
		  "(unfinished)" },
		{ { "--goid=7", "--by=goroutine" }, "shown: 0 of 103", "\n        1" },
		{ { "--from=0", "--to=15ns" }, "  (1 unfinished)\n", "main.g" },
		{ { "--from=15ns" }, "  (1 begun before)\n", "unfinished)" },
		{ { "--from=15ns", "--by=goroutine" }, "--from 0.000000015s;", "unfinished" },
		{ { "--from=15ns", "--by=call", "-n1" }, "0.000000022", "shown:" },
		{ { "--focus=main.g", "--format=csv" },
		  "gotrace: shown: 2 of 103 calls",
		  "main.f" },
		{ { "--focus=main.g", "--format=json" },
		  "\"shown\": \"--focus main.g\"",
		  "gotrace: " },
		{ { "--focus=main.g", "--format=json" }, "\"calls_of_all\": 103", "gotrace: " },
		{ { "--by=call", "--goid=7" }, "no call matches --goid", "main.f" },
	};
	char said[SAID_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(run(cases[i].args, 0, said), 0);
		if (!strstr(said, cases[i].has) || strstr(said, cases[i].lacks))
			fail_msg("case %zu: no '%s', or '%s' in:\n%s", i, cases[i].has,
				 cases[i].lacks, said);
	}
	assert_int_equal(run((const char *[]){ "--focus=main.h", NULL }, 0, said), 1);
	assert_non_null(strstr(said, "--focus: no function of this trace matches 'main.h'"));
}

/* A chain of 40 calls, the innermost of which calls two others, and a light one beside. */
TEST(test_tree)
{
	char *list = NULL, was[TRACE_PATH_BYTES], said[SAID_BYTES];
	size_t size;
	FILE *out = open_memstream(&list, &size);

	assert_non_null(out);
	for (unsigned i = 0; i < 40; i++)
		fprintf(out, "1 entry main.c%u %u %u\n", i, 100 + i, 1000 + i);
	fputs("1 entry main.left 200 2000\n1 exit main.left 200 4000\n"
	      "1 entry main.right 200 4000\n1 exit main.right 200 6000\n"
	      "1 entry main.light 200 6000\n1 exit main.light 200 6010\n",
	      out);
	for (unsigned i = 40; i--;)
		fprintf(out, "1 exit main.c%u %u %u\n", i, 100 + i, 6100 - i);
	assert_int_equal(fclose(out), 0);
	strcpy(was, file);
	fixture_write_text(list, true, file);
	assert_int_equal(run((const char *[]){ "--by=path", NULL }, 0, said), 0);
	assert_non_null(strstr(said, "main.left\n"));
	assert_non_null(strstr(said, "main.right\n"));
	assert_null(strstr(said, "main.light\n"));
	assert_non_null(
		strstr(said, "\n1 path with less than 1% each, 0.2% of the time (--min-share)\n"));
	assert_int_equal(run((const char *[]){ "--by=path", "-n30", NULL }, 0, said), 0);
	assert_null(strstr(said, "main.left\n"));
	assert_int_equal(run((const char *[]){ "--by=path", "-n0", NULL }, 0, said), 0);
	assert_non_null(strstr(said, "main.light\n"));
	/* The same tree from a function up, also for programs. */
	assert_int_equal(run((const char *[]){ "--callers=main.l*t", NULL }, 0, said), 0);
	assert_non_null(strstr(said, "FUNCTION, CALLED BY\n"));
	assert_non_null(strstr(said, "  main.left\n"));
	assert_int_equal(
		run((const char *[]){ "--callers=main.left", "--format=csv", NULL }, 0, said), 0);
	assert_int_equal(strncmp(said, "callers,calls,", 14), 0);
	assert_non_null(strstr(said, "\nmain.left,"));
	assert_int_equal(run((const char *[]){ "--callers=main.lost", NULL }, 0, said), 1);
	assert_non_null(strstr(said, "--callers: no function of this trace matches 'main.lost'"));
	unlink(file);
	strcpy(file, was);
	free(list);
}

TEST(test_usage)
{
	static const struct {
		const char *args[4];
		const char *says;
	} cases[] = {
		{ { "--sort=p90" }, "there is no column to sort by 'p90'; there are self, total," },
		{ { "--sort=p50", "--by=path" }, "percentiles are kept for functions only" },
		{ { "--sort=max", "--by=goroutine" }, "--by=goroutine sorts by self, total" },
		{ { "--sort=calls", "--by=call" }, "--by=call sorts by self or total" },
		{ { "--sort=cost", "--raw" }, "--sort=cost is not with --raw" },
		{ { "--correct-by=events", "--raw" }, "--correct-by is not with --raw" },
		{ { "--from=2", "--to=1" }, "--to is not after --from" },
		{ { "--goid=1,x" }, "--goid takes a number, not 'x'" },
		{ { "--callers=main.f", "--by=call" }, "--callers goes with --by=path" },
		{ { "--color=red" }, "there is no choice of colour 'red'" },
	};
	char said[SAID_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(run(cases[i].args, 0, said), 2);
		if (!strstr(said, cases[i].says))
			fail_msg("case %zu: no '%s' in:\n%s", i, cases[i].says, said);
	}
}

static void clear(void)
{
	static const char *const names[] = { "GOTRACE_PAGER", "PAGER", "NO_COLOR", "COLUMNS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	setenv("TERM", "xterm", 1);
}

/* The output is not lost without a word. */
TEST(test_no_pager)
{
	char said[SAID_BYTES];

	clear();
	setenv("PAGER", "/nowhere/less", 1);
	assert_int_equal(run((const char *[]){ NULL }, 200, said), 1);
	assert_non_null(strstr(said, "gotrace: the pager of GOTRACE_PAGER or PAGER cannot be run"));
	clear();
}

#define PLAIN "--no-pager", "--color=never"

TEST(test_terminal)
{
	static const struct {
		unsigned columns;
		const char *args[5], *env, *value, *has, *lacks;
	} cases[] = {
		{ 0, { NULL }, NULL, NULL, LONG_NAME "\n", "\033[1m" },
		{ 0, { NULL }, "COLUMNS", "80", LONG_NAME "\n", "\033[1m" },
		{ 0, { "--color=always" }, NULL, NULL, "\033[1m", "package..." },
		{ 200,
		  { "--no-pager" },
		  NULL,
		  NULL,
		  "  \033[2m" LONG_PACKAGE "\033[0m\033[1m(*Receiver).Method\033[0m\r\n",
		  "(*)" },
		{ 200, { "--no-pager" }, NULL, NULL, "\033[1m", "(*)" },
		{ 200, { "--no-pager", "--color=never" }, NULL, NULL, LONG_NAME, "\033[1m" },
		{ 200, { "--no-pager" }, "NO_COLOR", "1", LONG_NAME, "\033[1m" },
		{ 200, { "--no-pager" }, "NO_COLOR", "", "\033[1m", "(*)" },
		{ 200, { "--no-pager", "--color=always" }, "NO_COLOR", "1", "\033[1m", "(*)" },
		{ 200, { "--no-pager" }, "TERM", "dumb", LONG_NAME, "\033[1m" },
		{ 110, { PLAIN }, NULL, NULL, "  package.(*Receiver).Method\r\n", "folder" },
		{ 80, { PLAIN }, NULL, NULL, "  package.(*Receiver).Method\r\n", "folder" },
		{ 30, { PLAIN }, NULL, NULL, "  packag..ceiver).Method\r\n", "folder" },
		{ 50, { PLAIN, "--wide" }, NULL, NULL, LONG_NAME "\r\n", "next:" },
		{ 80, { PLAIN }, NULL, NULL, "next: gotrace report ", "measured cost" },
		{ 200, { PLAIN }, "COLUMNS", "110", "  package.(*Receiver).Method\r\n", "folder" },
		{ 80,
		  { PLAIN, "--by=path" },
		  NULL,
		  NULL,
		  "package.(*Receiver).Method\r\n",
		  "folder" },
		{ 80,
		  { PLAIN, "--by=call", "--sort=total" },
		  NULL,
		  NULL,
		  "package.(*Receiver).Method\r\n",
		  "folder" },
		{ 200, { NULL }, "PAGER", "sed s/^/any:/", "any:", "own:" },
		{ 200, { NULL }, "GOTRACE_PAGER", "sed s/^/own:/", "own:", "any:" },
		{ 200, { "--color=never" }, "GOTRACE_PAGER", "", "main.f\r\n", "any:" },
		{ 200, { "--color=never" }, "GOTRACE_PAGER", "cat", "main.f\r\n", "any:" },
		{ 200, { "--color=never" }, "GOTRACE_PAGER", "head -n1", "FUNCTION", "main.f" },
		{ 200, { PLAIN }, "GOTRACE_PAGER", "sed s/^/own:/", "main.f\r\n", "own:" },
		{ 0, { NULL }, "GOTRACE_PAGER", "sed s/^/own:/", "main.f\n", "own:" },
		{ 200, { "--color=never" }, "LESS", "FRX", "main.f", "any:" },
	};
	char said[SAID_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		clear();
		if (cases[i].env)
			setenv(cases[i].env, cases[i].value, 1);
		assert_int_equal(run(cases[i].args, cases[i].columns, said), 0);
		if (!strstr(said, cases[i].has) || strstr(said, cases[i].lacks))
			fail_msg("case %zu: no '%s', or '%s' in:\n%s", i, cases[i].has,
				 cases[i].lacks, said);
	}
	clear();
}

TESTS_BETWEEN(write_file, remove_file, test_closed_pipe, test_too_late, test_too_late_samples,
	      test_sort, test_part, test_tree, test_usage, test_terminal, test_no_pager)

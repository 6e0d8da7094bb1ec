// SPDX-License-Identifier: BSD-2-Clause
/* `gotrace export` from outside: exit status, messages for wrong usage, and the output file. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/child_fixture.h"
#include "report/report_fixture.h"

/* Test programs link the libraries only, and argp exits: run the built command in a child. */
#include "cli/args.c"
#include "cli/view_options.c"
#include "cli/call_lines.c"
#include "cli/stored_trace.c"
#include "cli/trace_binary.c"
#include "cli/output.c"
#include "cli/export.c"

#define CALL "1 entry main.f 100 1000\n1 exit main.f 100 2000\n"

static char trace[TRACE_PATH_BYTES], folder[] = "/tmp/gotrace-export-XXXXXX";

FIXTURE(set_up)
{
	unsetenv("SUDO_UID"); /* under sudo an export would be another user's */
	fixture_write_text(CALL, true, trace);
	return mkdtemp(folder) ? 0 : -1;
}

FIXTURE(tear_down)
{
	return unlink(trace) | rmdir(folder);
}

struct export_call {
	const char *const *args;
	int tty; /* standard output; -1: as standard error */
};

static void child(void *ctx)
{
	const struct export_call *c = ctx;
	char *argv[10] = { (char *)"gotrace export" };
	int argc = 1;

	for (; c->args[argc - 1]; argc++)
		argv[argc] = (char *)c->args[argc - 1];
	if (c->tty >= 0)
		dup2(c->tty, 1);
	if (chdir(folder))
		exit(99);
	umask(027);
	exit(cmd_export(argc, argv));
}

static int run(const char *const *args, int tty, char said[8192])
{
	struct export_call c = { args, tty };
	int fds[2];

	fixture_output(0, fds);
	return fixture_child(fds, child, &c, said, 8192);
}

struct status_case {
	const char *args[9];
	int status;
	const char *says;
};

static void check_status(const struct status_case *cases, size_t n)
{
	char said[8192];

	for (size_t i = 0; i < n; i++) {
		int status = run(cases[i].args, -1, said);

		if (status != cases[i].status || !strstr(said, cases[i].says))
			fail_msg("case %zu: status %d, not %d; \"%s\" in:\n%s", i, status,
				 cases[i].status, cases[i].says, said);
	}
}

TEST(test_status)
{
	const struct status_case cases[] = {
		{ { trace, "--format=folded" }, 0, "main.f 1000\n" },
		{ { trace, "--format=folded", "--weight=calls", "--no-go-edges", "-o", "-" },
		  0,
		  "main.f 1\n" },
		{ { trace, "--format=csv", "--calls" }, 0, "1,,1,0,main.f,0,1000,1000,finished" },
		{ { trace, "--format=perun", "--origin=abc", "--host=vm" },
		  0,
		  "{\"origin\":\"abc\"," },
		{ { "--help" }, 0, "\n  sqlite     sqlite3: a database" },
		{ { "--format=folded" }, 1, "gotrace.out" },
		{ { "/nowhere", "--format=folded" }, 1, "/nowhere" },
		{ { trace, "--format=folded", "-o", "/nowhere/x" },
		  1,
		  "/nowhere/x: cannot be written: No such file" },
		{ { trace, "--format=folded", "-o", "/tmp" },
		  1,
		  "/tmp: cannot be written: Is a directory" },
		{ { trace }, 2, "--format=FORMAT is needed" },
		{ { trace, "--format=xml" },
		  2,
		  "there is no format 'xml'; there are folded, pprof" },
		{ { trace, "--format=folded", "--weight=p99" },
		  2,
		  "there is no weight 'p99'; there are self, total, calls" },
		{ { trace, "--format=pprof", "--weight=calls" },
		  2,
		  "--weight: for folded, not for pprof" },
		{ { trace, "--format=folded", "--goroutines" },
		  2,
		  "--goroutines: for pprof, otlp, not for folded" },
		{ { trace, "--format=chrome", "--calls" }, 2, "--calls: for speedscope, csv, not" },
		{ { trace, "--format=chrome", "--no-go-edges" },
		  2,
		  "--no-go-edges: for folded, pprof," },
		{ { trace, "--format=csv", "--origin=1" },
		  2,
		  "--perun-layout, --origin and --host: for perun, not" },
		{ { trace, trace, "--format=folded" },
		  2,
		  "one trace at a time; 'gotrace diff' compares two" },
		{ { trace, trace, trace, "--format=folded" }, 2, "two traces at most" },
	};

	check_status(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Calls have args when asked for, in the one format that has them. */
TEST(test_chrome_args)
{
	const struct status_case cases[] = {
		{ { trace, "--format=chrome" },
		  0,
		  "\"name\":\"main.f\",\"ts\":0.000,\"dur\":1.000}" },
		{ { trace, "--format=chrome", "--args" },
		  0,
		  "\"name\":\"main.f\",\"ts\":0.000,\"dur\":1.000,\"args\":{\"self_ns\":1000}}" },
		{ { trace, "--format=perfetto", "--args" },
		  2,
		  "--args: for chrome, not for perfetto" },
	};

	check_status(cases, sizeof(cases) / sizeof(cases[0]));
}

/* The content and mode of folder/x; "" if it does not exist. */
static void read_x(char text[256], unsigned *mode)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/x", folder);
	memset(text, 0, 256);
	FILE *in = fopen(path, "r");

	if (!in)
		return;
	assert_true(fread(text, 1, 255, in) > 0);
	assert_int_equal(fstat(fileno(in), &st), 0);
	*mode = st.st_mode & 0777;
	fclose(in);
}

static size_t files_in_folder(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	size_t n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	closedir(d);
	return n;
}

/* The file is complete, with the mode that the umask gives, or unchanged. */
TEST(test_file)
{
	char said[8192], text[256], broken[TRACE_PATH_BYTES], path[128];
	unsigned mode = 0;

	assert_int_equal(run((const char *const[]){ trace, "--format=folded", "-o", "x", NULL }, -1,
			     said),
			 0);
	assert_string_equal(said, "");
	read_x(text, &mode);
	assert_string_equal(text, "main.f 1000\n");
	assert_int_equal(mode, 0640);

	fixture_write_text(CALL, false, broken);
	int fd = open(broken, O_RDWR);
	off_t end = lseek(fd, 0, SEEK_END);

	assert_int_equal(pwrite(fd, "\xff\xff", 2, end - 4), 2);
	close(fd);
	assert_int_equal(run((const char *const[]){ broken, "--format=chrome", "-o", "x", NULL },
			     -1, said),
			 1);
	read_x(text, &mode);
	assert_string_equal(text, "main.f 1000\n");
	assert_int_equal(run((const char *const[]){ broken, "--format=chrome", "-o", "y", NULL },
			     -1, said),
			 1);
	assert_int_equal(files_in_folder(), 1);
	unlink(broken);

	/* The file a symbolic link points to is replaced, not the link. */
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink("x", path), 0);
	assert_int_equal(run((const char *const[]){ trace, "--format=folded", "--weight=calls",
						    "-o", "link", NULL },
			     -1, said),
			 0);
	read_x(text, &mode);
	assert_string_equal(text, "main.f 1\n");
	assert_int_equal(files_in_folder(), 2);
	unlink(path);
	snprintf(path, sizeof(path), "%s/x", folder);
	unlink(path);
}

/* A link that leads nowhere is neither followed nor replaced. */
TEST(test_link_nowhere)
{
	char said[8192], path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink("none", path), 0);
	assert_int_equal(run((const char *const[]){ trace, "--format=folded", "-o", "link", NULL },
			     -1, said),
			 1);
	assert_non_null(strstr(said, "it is a link to a file that does not exist"));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(files_in_folder(), 1);
	unlink(path);
}

TEST(test_terminal)
{
	int leader = posix_openpt(O_RDWR | O_NOCTTY);
	char said[8192];

	assert_true(leader >= 0 && !grantpt(leader) && !unlockpt(leader));
	int tty = open(ptsname(leader), O_RDWR | O_NOCTTY);

	assert_true(tty >= 0);
	for (const struct export_format *f = export_formats; f->name; f++) {
		char format[32];

		snprintf(format, sizeof(format), "--format=%s", f->name);
		assert_int_equal(run((const char *const[]){ trace, format, NULL }, tty, said),
				 f->binary ? 1 : 0);
		assert_int_equal(
			strstr(said, "not for a terminal; write it to a file with -o FILE") != NULL,
			f->binary);
		while (!f->binary) { /* else the terminal may fill up */
			char buf[4096];
			struct timeval none = { 0 };
			fd_set fds;

			FD_ZERO(&fds);
			FD_SET(leader, &fds);
			if (select(leader + 1, &fds, NULL, NULL, &none) <= 0 ||
			    read(leader, buf, sizeof(buf)) <= 0)
				break;
		}
	}
	close(tty);
	close(leader);
}

/* A signal that ends the export removes what was written. */
TEST(test_interrupted)
{
	int fds[2], status;
	char byte;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct output o;

		/* ignored where the tests run in the background of a script */
		signal(SIGINT, SIG_DFL);
		if (chdir(folder) || output_open(&o, "y", true) || write(fds[1], "x", 1) != 1)
			exit(99);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(files_in_folder(), 1);
	assert_int_equal(kill(pid, SIGINT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	assert_int_equal(files_in_folder(), 0);
}

/* Who could not read the file cannot read what takes its place. */
TEST(test_mode)
{
	static const struct {
		mode_t before, after;
	} modes[] = { { 0600, 0600 }, { 0666, 0644 }, { 0640, 0640 }, { 0, 0644 } };
	const mode_t mask = umask(022);
	char path[128];
	struct output o;
	struct stat st;

	snprintf(path, sizeof(path), "%s/mode", folder);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (modes[i].before) {
			int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

			assert_true(fd >= 0);
			assert_int_equal(fchmod(fd, modes[i].before), 0);
			close(fd);
		}
		assert_int_equal(output_open(&o, path, false), 0);
		assert_int_equal(fstat(fileno(o.file), &st), 0);
		assert_int_equal(st.st_mode & 07777, modes[i].after);
		assert_int_equal(output_close(&o, 0), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, modes[i].after);
		assert_int_equal(unlink(path), 0);
	}
	umask(mask);
}

/* Each format has one line of the help, which no terminal breaks. */
TEST(test_help)
{
	static char said[8192];
	const char *at;

	assert_int_equal(run((const char *[]){ "--help", NULL }, -1, said), 0);
	at = strstr(said, "\nFormats, and what opens them:\n");
	assert_non_null(at);
	at = strchr(at + 1, '\n');
	for (const struct export_format *f = export_formats; f->name; f++) {
		const char *end = strchr(at + 1, '\n');

		assert_non_null(end);
		assert_int_equal(strncmp(at + 3, f->name, strlen(f->name)), 0);
		assert_true(end - at <= 79);
		at = end;
	}
	assert_int_equal(at[1], '\n');
}

TESTS_BETWEEN(set_up, tear_down, test_help, test_status, test_chrome_args, test_file, test_mode,
	      test_link_nowhere, test_interrupted, test_terminal)

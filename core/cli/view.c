// SPDX-License-Identifier: BSD-2-Clause
/* Opens the page of a trace in a browser. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/target/user.h"
#include "base/file_limit.h"
#include "base/log.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/stored_trace.h"
#include "cli/view_options.h"
#include "export/export.h"

struct view_args {
	struct view_options view;
	bool raw;
	const char *files[2];
	size_t n_files;
};

enum { KEY_RAW = 256 };

static const struct argp_option options[] = {
	{ "raw", KEY_RAW, NULL, 0, "print times as measured, without subtracting the probes' cost",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct view_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->view;
		return 0;
	case KEY_RAW:
		a->raw = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->n_files == 2)
			arg_error(state, "two traces at most: the one before, the one after");
		a->files[a->n_files++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->n_files)
			a->files[a->n_files++] = "gotrace.out";
		if (a->n_files == 2 && !strcmp(a->files[0], "-") && !strcmp(a->files[1], "-"))
			arg_error(state, "only one of the traces can be standard input");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The user's private runtime folder; sudo does not pass it on in the environment. */
static void private_folder(const struct user *u, char *path, size_t size)
{
	const char *runtime = u->change ? NULL : getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (runtime && *runtime == '/')
		snprintf(path, size, "%s", runtime);
	else
		snprintf(path, size, "/run/user/%u", (unsigned)u->uid);
	if (stat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != u->uid ||
	    faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS))
		snprintf(path, size, "/tmp");
}

/* Makes the file as user u, who owns it; its name goes into path. An fd or -errno (logged). */
static int make_file(const struct user *u, char *path, size_t size)
{
	static const char name[] = "/gotrace-XXXXXX.html";
	int err = user_enter(u), fd = -1;

	if (err) {
		log_error("cannot act as user '%s': %s", u->name, strerror(-err));
		return err;
	}
	private_folder(u, path, size - sizeof(name));
	strcat(path, name);
	fd = mkostemps(path, 5, O_CLOEXEC); /* mode 0600 */
	err = fd < 0 ? -errno : 0;
	user_leave(u);
	if (err)
		log_error("cannot make %s: %s", path, strerror(-err));
	return err ? err : fd;
}

static int write_page(const struct view_args *a, FILE *out)
{
	const struct export_options opt = { .view = &a->view.view,
					    .raw = a->raw,
					    .files = { a->files[0], a->files[1] } };
	struct trace_reader *r[2] = { NULL, NULL };
	int err = 0;

	for (size_t i = 0; !err && i < a->n_files; i++) {
		r[i] = open_stored(a->files[i], &a->view);
		err = r[i] ? 0 : -1;
	}
	if (!err)
		err = export_html(r, a->n_files, &opt, out);
	for (size_t i = 0; i < 2; i++)
		if (r[i])
			trace_reader_close(r[i]);
	return err;
}

/* In a child: becomes the user, leaves the terminal and starts a browser; writes an errno to fd if
 * that failed. */
static __attribute__((noreturn)) void start_browser(const struct user *u, char *path, int fd)
{
	static const char *const openers[] = { "xdg-open", "sensible-browser", "www-browser" };
	char runtime[64];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), err;

	snprintf(runtime, sizeof(runtime), "/run/user/%u", (unsigned)u->uid);
	setsid();
	err = 0;
	if (u->change && !access(runtime, X_OK))
		setenv("XDG_RUNTIME_DIR", runtime, 1);
	if (!err && null >= 0)
		for (int std = STDIN_FILENO; std <= STDERR_FILENO; std++)
			dup2(null, std);
	file_limit_put_back();
	for (size_t i = 0; !err && i < sizeof(openers) / sizeof(openers[0]); i++)
		execlp(openers[i], openers[i], path, (char *)NULL);
	err = err ? -err : errno;
	if (write(fd, &err, sizeof(err)) < 0)
		_exit(2);
	_exit(1);
}

/* 0, or -errno if no browser could be started. Does not wait for the browser to end. */
static int open_browser(const struct user *u, char *path)
{
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	signal(SIGCHLD, SIG_IGN);
	pid_t child = fork();

	if (child < 0)
		err = errno;
	else if (!child)
		start_browser(u, path, ends[1]);
	close(ends[1]);
	/* A successful exec closes the other end of the pipe. */
	if (!err && read(ends[0], &err, sizeof(err)) < 0)
		err = errno;
	close(ends[0]);
	return -err;
}

static bool has_display(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

static int view(const struct view_args *a)
{
	struct user u;
	char path[4096];
	int err = user_find(NULL, &u);
	int fd = err ? err : make_file(&u, path, sizeof(path));

	if (fd < 0)
		return fd;
	FILE *out = fdopen(fd, "w");

	err = out ? output_act_as_invoker() : -errno;
	if (!err)
		err = write_page(a, out);
	if (out && fclose(out) && !err) {
		err = -errno;
		log_error("%s could not be written: %s", path, strerror(errno));
	}
	if (err) {
		unlink(path);
		return err;
	}
	if (has_display()) {
		int opened = open_browser(&u, path);

		if (opened)
			log_warn("no browser could be started: %s; open the page below in one",
				 strerror(-opened));
	}
	return printf("%s\n", path) < 0 || fflush(stdout) ? -EIO : 0;
}

int cmd_view(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &view_argp, 0, "A part of the trace:", 10 },
		{ 0 },
	};
	static const struct argp argp = {
		options,
		parse,
		"[FILE [AFTER]]",
		"Shows a trace in a browser. Writes the page of 'gotrace export --format=html' to a file "
		"that only you can read, prints its name and opens it if there is a display. With two "
		"traces, shows the changes from the first to the second. FILE defaults to gotrace.out.",
		children,
		NULL,
		NULL
	};
	struct view_args a = { 0 };

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, 0, &a);
	signal(SIGPIPE, SIG_IGN);
	a.view.view.leave_out_parked = a.n_files < 2 && !a.view.parked;
	int err = view(&a);

	view_options_free(&a.view);
	return err ? STATUS_BAD_INPUT : 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_limit.h"
#include "base/log.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/output.h"

#define DEFAULT_PAGER "less"
#define DEFAULT_WIDTH 80

enum { KEY_COLOUR = 0x300, KEY_NO_PAGER };

static const struct argp_option reading_options[] = {
	{ "color", KEY_COLOUR, "WHEN", 0,
	  "auto (default: on a terminal, unless NO_COLOR is set), always or never", 20 },
	{ "colour", KEY_COLOUR, "WHEN", OPTION_ALIAS | OPTION_HIDDEN, NULL, 20 },
	{ "no-pager", KEY_NO_PAGER, NULL, 0,
	  "Print to the terminal itself. Without this option, GOTRACE_PAGER, PAGER or less shows "
	  "output that does not fit",
	  20 },
	{ 0 },
};

static error_t parse_reading(int key, char *arg, struct argp_state *state)
{
	static const char *const choices[] = { "auto", "always", "never", NULL };
	struct reading *r = state->input;

	switch (key) {
	case KEY_COLOUR:
		r->choice = (enum colour_choice)arg_choice(state, "choice of colour", arg, choices);
		return 0;
	case KEY_NO_PAGER:
		r->no_pager = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp reading_argp = { reading_options, parse_reading, NULL, NULL, NULL, NULL, NULL };

/* The pager that runs, for the signal handlers. */
static volatile pid_t pager;

/* Also in a signal handler. Says it when the pager could not be run, as a shell tells: 0 or -1. */
static int wait_for_pager(void)
{
	static const char why[] =
		"gotrace: the pager of GOTRACE_PAGER or PAGER cannot be run; --no-pager does without\n";
	int status = 0;

	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127))
		return 0;
	(void)!write(STDERR_FILENO, why, sizeof(why) - 1);
	return -1;
}

/* The reader has left the pager before all was printed. */
static void on_left(int sig)
{
	(void)sig;
	close(STDOUT_FILENO);
	_exit(wait_for_pager() ? STATUS_BAD_INPUT : 0);
}

/* Ctrl-C is the pager's; gotrace ends after it, or both would read from the terminal. */
static void on_ended(int sig)
{
	close(STDOUT_FILENO);
	wait_for_pager();
	signal(sig, SIG_DFL);
	raise(sig);
}

static bool in_path(const char *program)
{
	const char *path = getenv("PATH");
	char *list = strdup(path ? path : ""), file[4096], *rest = list, *folder;
	bool found = false;

	while (!found && list && (folder = strsep(&rest, ":"))) {
		snprintf(file, sizeof(file), "%s/%s", folder, program);
		found = !access(file, X_OK);
	}
	free(list);
	return found;
}

/* The command to show the output with; NULL: none. */
static const char *choose_pager(const struct reading *r)
{
	const char *own = getenv("GOTRACE_PAGER"), *any = getenv("PAGER");
	const char *command = own ? own : any ? any : in_path(DEFAULT_PAGER) ? DEFAULT_PAGER : "";

	return r->no_pager || !*command || !strcmp(command, "cat") ? NULL : command;
}

/* In a child: reads from fd, and runs with the rights of the user who called sudo: from within a
 * pager one can start other programs. */
static __attribute__((noreturn)) void run_pager(const char *command, int fd)
{
	if (output_act_as_invoker() || dup2(fd, STDIN_FILENO) < 0)
		_exit(126);
	file_limit_put_back();
	/* as git's: leave at once when all fits, keep colours, leave the screen as it is */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	log_error("the pager '%s' cannot be run: %s; --no-pager does without", command,
		  strerror(errno));
	_exit(126);
}

static int start_pager(const char *command)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	int fds[2];

	if (pipe(fds)) {
		log_error("cannot start the pager: %s", strerror(errno));
		return -errno;
	}
	fflush(NULL);
	pager = fork();
	if (!pager) {
		close(fds[1]);
		run_pager(command, fds[0]);
	}
	int err = pager < 0 || dup2(fds[1], STDOUT_FILENO) < 0 ? -errno : 0;

	close(fds[0]);
	close(fds[1]);
	if (err) {
		log_error("cannot start the pager: %s; --no-pager does without", strerror(-err));
		return err;
	}
	signal(SIGPIPE, on_left);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		signal(ends[i], on_ended);
	return 0;
}

unsigned reading_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int n = columns ? atoi(columns) : 0;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (n > 0)
		return (unsigned)n;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

bool reading_colour(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && !strcmp(term, "dumb"));
}

int reading_begin(struct reading *r)
{
	const bool terminal = isatty(STDOUT_FILENO);

	r->colour = r->choice == COLOUR_ALWAYS || (r->choice == COLOUR_AUTO && reading_colour());
	r->width = reading_width();
	const char *command = terminal ? choose_pager(r) : NULL;

	return command ? start_pager(command) : 0;
}

int reading_end(void)
{
	if (!pager)
		return 0;
	fflush(stdout);
	close(STDOUT_FILENO);
	return wait_for_pager();
}

// SPDX-License-Identifier: BSD-2-Clause
/* What a recording, or a process, does now: tables of rates. */
#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/process_arg.h"
#include "cli/record_run.h"
#include "cli/top.h"

struct top_args {
	struct top_options opt;
	struct record_options record;
	const char *file;
};

enum { KEY_RAW = 256, KEY_PID, KEY_TIMES };

#define DEFAULT_INTERVAL_NS 2000000000ull
#define LEAST_INTERVAL_NS   1000000000ull

static const struct argp_option options[] = {
	{ "pid", KEY_PID, "PID|NAME", 0,
	  "Attach to a running process, as 'gotrace record --summary --pid' does, but keep no trace",
	  1 },
	{ "interval", 'i', "TIME", 0, "Time between two tables, 1s or more (default 2s)", 1 },
	{ "times", KEY_TIMES, "N", 0, "End after so many tables", 1 },
	{ "limit", 'n', "N", 0,
	  "At most N functions (default: as many as the terminal shows, 20 where there is none)",
	  1 },
	{ "sort", 's', "COLUMN", 0,
	  "self (default), calls, p50, p99 or growth (calls more than before), the largest first",
	  1 },
	{ "raw", KEY_RAW, NULL, 0,
	  "Show times as measured. Without this option the probes' cost is subtracted", 1 },
	{ 0 },
};

static void finish_options(struct top_args *a, struct argp_state *state)
{
	if (a->record.pid && a->file)
		arg_error(state, "give either a trace or --pid, not both");
	if (!a->opt.interval_ns)
		a->opt.interval_ns = DEFAULT_INTERVAL_NS;
	if (!a->file)
		a->file = "gotrace.out";
	a->opt.name = a->file;
	if (!strcmp(a->file, "-"))
		arg_error(state, "a trace from a pipe cannot be read again");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const sort[] = { "self", "calls", "p50", "p99", "growth", NULL };
	struct top_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->record.selection;
		return 0;
	case KEY_PID:
		a->record.pid = process_arg(state, arg);
		return 0;
	case 'i':
		a->opt.interval_ns = arg_duration(state, "--interval", arg, 1000000000);
		if (a->opt.interval_ns < LEAST_INTERVAL_NS)
			arg_error(state, "--interval: '%s' is shorter than a second", arg);
		return 0;
	case KEY_TIMES:
		a->opt.times = arg_number(state, "--times", arg);
		return 0;
	case 'n':
		a->opt.rows = arg_number(state, "-n", arg);
		return 0;
	case 's':
		a->opt.sort = (enum top_sort)arg_choice(state, "column to sort by", arg, sort);
		return 0;
	case KEY_RAW:
		a->opt.raw = true;
		return 0;
	case ARGP_KEY_ARG:
		return arg_trace(key, arg, state, &a->file);
	case ARGP_KEY_END:
		finish_options(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- a process */

/* The recording is this process's, into a file without a name; a thread looks at it. */
struct own {
	struct top_args *args;
	struct record_host host;
	struct live_feed feed;
	char path[40], name[40];
	int stop_fd;
	pthread_t thread;
	bool running;
	int err;
};

static void *show(void *arg)
{
	struct own *o = arg;

	o->err = top_run(&o->args->opt, o->path, &o->feed, o->stop_fd);
	kill(getpid(), SIGTERM); /* the recording takes it as its end */
	return NULL;
}

static int begin_show(void *ctx)
{
	struct own *o = ctx;

	o->running = !pthread_create(&o->thread, NULL, show, o);
	return o->running ? 0 : -EAGAIN;
}

static void end_show(void *ctx)
{
	struct own *o = ctx;
	uint64_t one = 1;

	if (!o->running)
		return;
	if (write(o->stop_fd, &one, sizeof(one)) != sizeof(one))
		log_debug("wake-up failed: %s", strerror(errno));
	pthread_join(o->thread, NULL);
	o->running = false;
}

static int top_process(struct top_args *a)
{
	struct own o = { .args = a, .stop_fd = eventfd(0, EFD_CLOEXEC) };

	o.host = (struct record_host){ .fd = memfd_create("gotrace-top", MFD_CLOEXEC),
				       .begin = begin_show,
				       .end = end_show,
				       .ctx = &o,
				       .feed = &o.feed };
	if (o.host.fd < 0 || o.stop_fd < 0) {
		log_error("no file in memory can be made: %s", strerror(errno));
		return STATUS_FAILED;
	}
	snprintf(o.path, sizeof(o.path), "/proc/self/fd/%d", o.host.fd);
	snprintf(o.name, sizeof(o.name), "process %d", a->record.pid);
	a->opt.name = o.name;
	a->opt.answer_pid = a->record.pid;
	a->record.ring_bytes = RECORD_RING_BYTES;
	a->record.keep.summary = true;
	a->record.output = o.path;
	live_feed_init(&o.feed);
	int status = record_with(&a->record, &o.host);

	live_feed_free(&o.feed);
	close(o.host.fd);
	close(o.stop_fd);
	return status ? status : o.err ? STATUS_BAD_INPUT : 0;
}

/* Ctrl-C ends it like q; what waits is interrupted. */
static void on_interrupt(int signo)
{
	(void)signo;
}

static int top_file(const struct top_args *a)
{
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_interrupt }, NULL);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_interrupt }, NULL);
	return output_act_as_invoker() || top_run(&a->opt, a->file, NULL, -1) ? STATUS_BAD_INPUT
									      : 0;
}

int cmd_top(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &selection_argp, 0,
		  "With --pid, functions to trace, and how to probe them:", 10 },
		{ 0 },
	};
	static const struct argp argp = {
		options,
		parse,
		"[FILE]\n--pid PID",
		"Shows what a recording that goes on does now. A row has a function's self time and "
		"calls a second, their growth since the table before, and how long half and 99% of its "
		"calls took. The answer of a recording with states stands above. With --pid, attaches to "
		"a process. On a terminal q or Ctrl-C ends it; elsewhere it prints plain tables. FILE "
		"defaults to gotrace.out. A trace of 'gotrace record --summary' may have any length.",
		children,
		NULL,
		NULL
	};
	struct top_args *a = calloc(1, sizeof(*a));
	int status = STATUS_FAILED;

	argp_err_exit_status = STATUS_USAGE;
	if (a) {
		arg_parse(&argp, argc, argv, 0, a);
		signal(SIGPIPE, SIG_IGN);
		status = a->record.pid ? top_process(a) : top_file(a);
		selection_free(&a->record.selection);
	}
	free(a);
	if (status && ferror(stdout)) { /* the probes are gone now */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return status;
}

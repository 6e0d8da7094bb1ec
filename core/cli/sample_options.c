// SPDX-License-Identifier: BSD-2-Clause
/* The command line of `gotrace sample`. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/args.h"
#include "cli/process_arg.h"
#include "cli/sample_run.h"

#define HZ_DEFAULT  99
#define HZ_MAX      20000
#define OPT_USER    0x200
#define OPT_PID     0x201
#define OPT_KERNEL  0x202
#define OPT_LABELS  0x203
#define OPT_SIGNALS 0x204
#define OPT_WALL    0x205
#define OPT_CGROUP  0x206

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Trace to write (default gotrace.out). An existing trace is renamed to FILE.old", 1 },
	{ "pid", OPT_PID, "PID|NAME[,...]", 0,
	  "Sample running processes, all their threads, and processes that they start; Ctrl-C ends "
	  "sampling",
	  1 },
	{ "all-cpus", 'a', NULL, 0,
	  "Sample all processes of the host, also those that begin later; Ctrl-C or -d ends "
	  "sampling",
	  1 },
	{ "cgroup", OPT_CGROUP, "CGROUP", 0,
	  "Sample all processes of this control group and those below it. CGROUP is its folder, or "
	  "its name below /sys/fs/cgroup",
	  1 },
	{ "user", OPT_USER, "NAME", 0,
	  "Run COMMAND as this user (default under sudo: the user who called sudo)", 1 },
	{ "duration", 'd', "SECONDS", 0, "Stop sampling after this time; COMMAND keeps running",
	  2 },
	{ "frequency", 'F', "HZ", 0,
	  "Samples in each second of processor time (default 99); the intervals between samples "
	  "are random",
	  3 },
	{ "event", 'e', "EVENT", 0,
	  "The event that takes samples: cpu-clock (default), task-clock, page-faults, "
	  "minor-faults, major-faults, context-switches, cpu-migrations; where the machine counts "
	  "them also cpu-cycles, instructions, cache-references, cache-misses, branches, "
	  "branch-misses",
	  3 },
	{ "count", 'c', "N", 0,
	  "With an event that is no clock, take a sample each time that it has happened N times "
	  "(default 1 for software events)",
	  3 },
	{ "kernel", OPT_KERNEL, NULL, 0, "Record the kernel's frames, too", 4 },
	{ "labels", OPT_LABELS, NULL, 0,
	  "Record the labels that the program has given its goroutines (runtime/pprof, at most 8 each)",
	  4 },
	{ "wall", OPT_WALL, NULL, 0,
	  "Also record why goroutines wait, and threads of programs that are not Go's. gotrace "
	  "takes 40 snapshots a second, each of at most 256 goroutines or threads, first of those "
	  "that changed a short time ago. It stops nothing",
	  4 },
	{ "record-signals", OPT_SIGNALS, NULL, 0,
	  "When a process dies of a signal or a Go panic, record the stacks of its threads", 4 },
	{ 0 },
};

static const char doc[] =
	"Runs COMMAND and records many times a second which functions execute, with their "
	"goroutine and callers. With --pid, samples running processes until Ctrl-C, with -a or "
	"--cgroup all processes there. Processes that they start are sampled, too. gotrace "
	"changes and stops nothing in the programs.\vThe exit status is COMMAND's, or 125 if "
	"gotrace failed before starting COMMAND, 126 if COMMAND cannot be run, 127 if it is not "
	"found.\n"
	"\n"
	"EXAMPLES\n"
	"  gotrace sample -- ./server -port 8080\n"
	"  gotrace sample -F 999 -d 10 --labels --pid 1234\n"
	"  gotrace sample -a -F 19 -d 60\n"
	"  gotrace sample -- go build ./...\n";

static void parse_pids(struct sample_run *r, const char *arg, struct argp_state *state)
{
	char *const list = strdup(arg);
	size_t used = strlen(r->pids_list);

	if (!list)
		arg_error(state, "--pid: no memory");
	for (char *item = list, *next; item; item = next) {
		next = strchr(item, ',');
		if (next)
			*next++ = '\0';
		if (!*item)
			arg_error(state, "--pid: '%s' is not a list of processes", arg);
		if (r->given.n_targets == PIDS_MAX)
			arg_error(state, "--pid: more than %d processes", PIDS_MAX);
		const pid_t pid = process_arg(state, item);

		r->pids[r->given.n_targets++] = pid;
		used += (size_t)snprintf(r->pids_list + used, sizeof(r->pids_list) - used, "%s%d",
					 used ? "," : "", pid);
	}
	free(list);
	r->pids_text = r->pids_list;
}

static void check(struct sample_run *r, struct argp_state *state)
{
	const struct host *h = &r->sampling.host;
	int n = !!r->pids_text + !!r->command + r->all + !!h->cgroup;

	if (!n)
		arg_error(state, "a command, --pid, -a or --cgroup is needed");
	if (n > 1)
		arg_error(state, "give one of a command, --pid, -a and --cgroup");
	if (!r->command && r->user_name)
		arg_error(state, "--user goes with a command");
	if (h->on && r->sampling.wall.on)
		arg_error(state,
			  "--wall goes with a command or --pid; a host has too many processes");
	if (r->given.count && r->given.event->is_clock)
		arg_error(state, "-c counts events, so it needs -e with an event that is no clock");
	if (r->sampling.wall.on && !r->given.event->is_clock)
		arg_error(state, "--wall needs an event that is a clock, because it adds times");
	if (r->command)
		r->given.n_targets = 1;
}

static void parse_hz(struct sampling_given *g, const char *arg, struct argp_state *state)
{
	uint64_t hz = 0;

	if (parse_decimal(arg, HZ_MAX, &hz) || !hz)
		arg_error(state, "-F: '%s' is not a number from 1 to %d", arg, HZ_MAX);
	g->hz = (unsigned)hz;
}

static void parse_count(struct sampling_given *g, const char *arg, struct argp_state *state)
{
	uint64_t count = 0;

	if (parse_decimal(arg, UINT_MAX, &count) || !count)
		arg_error(state, "-c: '%s' is not a number from 1 to %u", arg, UINT_MAX);
	g->count = (unsigned)count;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sample_run *r = state->input;
	struct sampling_given *g = &r->given;
	struct sampling *s = &r->sampling;

	switch (key) {
	case 'o':
		r->output = arg;
		return 0;
	case OPT_PID:
		parse_pids(r, arg, state);
		return 0;
	case 'a':
		s->host.on = r->all = true;
		return 0;
	case OPT_CGROUP:
		s->host.on = true;
		s->host.cgroup = arg;
		return 0;
	case OPT_USER:
		r->user_name = arg;
		return 0;
	case 'd':
		if (parse_duration_ns(arg, 1000000000, &g->duration_ns) || !g->duration_ns)
			arg_error(state, "-d: '%s' is not a time such as 5 or 500ms", arg);
		return 0;
	case 'F':
		parse_hz(g, arg, state);
		return 0;
	case 'c':
		parse_count(g, arg, state);
		return 0;
	case 'e':
		g->event = event_type_find(arg);
		if (!g->event)
			arg_error(state,
				  "-e: there is no event '%s'; gotrace sample --help lists them",
				  arg);
		return 0;
	case OPT_KERNEL:
		g->kernel = true;
		return 0;
	case OPT_LABELS:
		g->labels = true;
		return 0;
	case OPT_WALL:
		s->wall.on = true;
		return 0;
	case OPT_SIGNALS:
		g->record_signals = true;
		return 0;
	case ARGP_KEY_ARGS:
		r->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		check(r, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void sample_options_parse(struct sample_run *r, int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "-- COMMAND [ARG...]\n--pid PID|NAME[,...]\n-a\n--cgroup CGROUP",
		doc,     NULL,  NULL,
		NULL
	};

	r->given.hz = HZ_DEFAULT;
	r->given.event = event_types;
	arg_parse(&argp, argc, argv, ARGP_IN_ORDER, r);
}

// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/target/end_as.h"
#include "attach/describe.h"
#include "attach/sample/sampling.h"
#include "base/log.h"
#include "base/units.h"
#include "binary/gobin.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/name_addresses.h"
#include "cli/trace_output.h"
#include "trace/keys.h"

#define PIDS_MAX    64
#define HZ_DEFAULT  99
#define HZ_MAX      20000
#define OPT_USER    0x200
#define OPT_PID     0x201
#define OPT_KERNEL  0x202
#define OPT_LABELS  0x203
#define OPT_SIGNALS 0x204
#define OPT_WALL    0x205

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Trace to write (default gotrace.out); an existing one is renamed to FILE.old", 1 },
	{ "pid", OPT_PID, "PID[,PID...]", 0,
	  "Sample running processes, all their threads, and what they start; Ctrl-C ends it", 1 },
	{ "user", OPT_USER, "NAME", 0,
	  "Run COMMAND as this user (default under sudo: the user who called sudo)", 1 },
	{ "duration", 'd', "SECONDS", 0, "Stop sampling after this time; COMMAND keeps running",
	  2 },
	{ "frequency", 'F', "HZ", 0,
	  "Samples in each second of processor time (default 99); the intervals are drawn at random around that",
	  3 },
	{ "event", 'e', "EVENT", 0,
	  "What takes samples: cpu-clock (default), task-clock, page-faults, minor-faults, major-faults, "
	  "context-switches, cpu-migrations; where the machine counts them cpu-cycles, instructions, "
	  "cache-references, cache-misses, branches, branch-misses",
	  3 },
	{ "count", 'c', "N", 0,
	  "With an event that is no clock: a sample each time that it has happened N times (software events: 1)",
	  3 },
	{ "kernel", OPT_KERNEL, NULL, 0, "Record the kernel's frames, too", 4 },
	{ "labels", OPT_LABELS, NULL, 0,
	  "Record the labels that the program has given its goroutines (runtime/pprof, at most 8 each)",
	  4 },
	{ "wall", OPT_WALL, NULL, 0,
	  "Record what goroutines, and threads of programs that are not Go's, wait for, too: 40 snapshots a second, "
	  "each of at most 256 of them, drawn at random where there are more; nothing is stopped",
	  4 },
	{ "record-signals", OPT_SIGNALS, NULL, 0,
	  "When a process dies of a signal or a Go panic, record where its threads were, with their callers",
	  4 },
	{ 0 },
};

static const char doc[] =
	"Runs COMMAND and notes many times a second which functions are executing, on which goroutine and called by whom. "
	"With --pid, samples running processes until Ctrl-C. Processes that they start are sampled, too. Nothing in the "
	"programs is changed or stopped.\v"
	"The exit status is COMMAND's, or 125 if gotrace failed before starting COMMAND, 126 if COMMAND cannot "
	"be run, 127 if it is not found.\n\n"
	"EXAMPLES\n"
	"  gotrace sample -- ./server -port 8080\n"
	"  gotrace sample -F 999 -d 10 --labels --pid 1234\n"
	"  gotrace sample -- go build ./...\n";

struct sample_run {
	const char *output, *user_name, *pids_text;
	pid_t pids[PIDS_MAX];
	char **command;
	struct user invoker, user;
	char command_path[PATH_MAX];
	struct target targets[PIDS_MAX];
	struct signals signals;
	struct sampling sampling;
	struct trace_info info;
	sigset_t old_mask;
	struct sigaction old_child;
	struct rlimit old_files;
	bool published, kept_old;
};

/* ---- options */

static void parse_pids(struct sample_run *r, const char *arg, struct argp_state *state)
{
	const char *p = arg;
	char *end;

	r->pids_text = arg;
	for (;;) {
		long pid = strtol(p, &end, 10);

		if (end == p || pid <= 0 || pid > INT_MAX || (*end && *end != ','))
			arg_error(state, "--pid: '%s' is not a list of process ids", arg);
		if (r->sampling.n_targets == PIDS_MAX)
			arg_error(state, "--pid: more than %d processes", PIDS_MAX);
		r->pids[r->sampling.n_targets++] = (pid_t)pid;
		if (!*end)
			return;
		p = end + 1;
	}
}

static void check(struct sample_run *r, struct argp_state *state)
{
	if (!r->pids_text == !r->command)
		arg_error(state, r->pids_text ? "give either --pid or a command, not both"
					      : "a command or --pid is needed");
	if (r->pids_text && r->user_name)
		arg_error(state, "--user goes with a command, not with --pid");
	if (r->sampling.count && r->sampling.event->is_clock)
		arg_error(state, "-c counts events: it goes with -e, and not with a clock");
	if (r->sampling.wall.on && !r->sampling.event->is_clock)
		arg_error(state, "--wall needs an event that is a clock: times are added to times");
	if (r->command)
		r->sampling.n_targets = 1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sample_run *r = state->input;
	struct sampling *s = &r->sampling;
	char *end;

	switch (key) {
	case 'o':
		r->output = arg;
		return 0;
	case OPT_PID:
		parse_pids(r, arg, state);
		return 0;
	case OPT_USER:
		r->user_name = arg;
		return 0;
	case 'd':
		if (parse_duration_ns(arg, 1000000000, &s->duration_ns) || !s->duration_ns)
			arg_error(state, "-d: '%s' is not a time", arg);
		return 0;
	case 'F':
		s->hz = (unsigned)strtoul(arg, &end, 10);
		if (*end || !s->hz || s->hz > HZ_MAX || *arg == '-')
			arg_error(state, "-F: '%s' is not a number from 1 to %d", arg, HZ_MAX);
		return 0;
	case 'c':
		s->count = (unsigned)strtoul(arg, &end, 10);
		if (*end || !s->count || *arg == '-')
			arg_error(state, "-c: '%s' is not a number from 1 on", arg);
		return 0;
	case 'e':
		s->event = event_type_find(arg);
		if (!s->event)
			arg_error(state,
				  "-e: there is no event '%s'; gotrace sample --help lists them",
				  arg);
		return 0;
	case OPT_KERNEL:
		s->kernel = true;
		return 0;
	case OPT_LABELS:
		s->labels = true;
		return 0;
	case OPT_WALL:
		s->wall.on = true;
		return 0;
	case OPT_SIGNALS:
		s->record_signals = true;
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

/* ---- what the trace says of itself */

static int describe(struct sample_run *r)
{
	const struct sampling *s = &r->sampling;
	struct trace_info *t = &r->info;
	char line[4096] = "";
	size_t n = 0;
	int err = trace_info_set(t, KEY_MODE, MODE_SAMPLES);

	if (!err)
		err = describe_host(t);
	if (!err)
		err = trace_info_set(t, KEY_GOTRACE_VERSION, cli_version);
	if (!err)
		err = trace_info_set(t, KEY_SAMPLE_EVENT, s->event->name);
	if (!err && s->event->is_clock)
		err = trace_info_setf(t, KEY_SAMPLE_FREQUENCY, "%u", s->hz);
	if (!err && s->count)
		err = trace_info_setf(t, KEY_SAMPLE_COUNT, "%u", s->count);
	if (!err && s->kernel)
		err = trace_info_set(t, KEY_SAMPLE_KERNEL, "1");
	if (!err && s->labels)
		err = trace_info_set(t, KEY_SAMPLE_LABELS, "1");
	if (!err && s->wall.on)
		err = trace_info_set(t, KEY_SAMPLE_WALL, "1");
	if (!err && s->wall.on)
		err = trace_info_set(t, KEY_STATES, "1");
	if (!err && s->record_signals)
		err = trace_info_set(t, KEY_RECORD_SIGNALS, "1");
	if (!err && r->pids_text)
		err = trace_info_set(t, KEY_SAMPLE_PIDS, r->pids_text);
	for (char *const *a = r->command; a && *a && n < sizeof(line) - 2; a++)
		n += snprintf(line + n, sizeof(line) - n, "%s%s", n ? " " : "", *a);
	if (!err && n)
		err = trace_info_set(t, KEY_COMMAND, line);
	if (!err && r->command)
		err = trace_info_set(t, KEY_BINARY_PATH, r->command_path);
	if (!err)
		err = trace_info_setf(t, KEY_PID, "%d", r->targets->pid);
	if (!err && *r->user.name)
		err = trace_info_set(t, KEY_USER, r->user.name);
	if (err)
		log_error("the trace cannot be described: %s", strerror(-err));
	return err;
}

static void say_how_it_ended(const struct sample_run *r, int err)
{
	const struct sampling *s = &r->sampling;
	uint64_t lost = trace_info_u64(&s->end, KEY_END_SAMPLES_LOST, 0);

	if (err)
		log_warn("%s was cut short: %s; what is in it can be read", r->output,
			 strerror(-err));
	else if (s->reason == END_DURATION)
		log_info("sampling ended by -d%s",
			 r->command && !r->targets->ended ? "; the command keeps running" : "");
	if (lost)
		log_warn("%" PRIu64 " samples were lost; a lower -F helps", lost);
	if (!s->samples && !wall_samples(&s->wall) && !err)
		log_warn("no sample was taken: %s",
			 s->event->is_clock ? "the program took hardly any processor time"
					    : "the event did not happen");
	if (isatty(STDERR_FILENO))
		log_info("%s: %" PRIu64 " samples; next: gotrace report%s%s", r->output,
			 s->samples + wall_samples(&s->wall),
			 strcmp(r->output, "gotrace.out") ? " " : "",
			 strcmp(r->output, "gotrace.out") ? r->output : "");
}

/* ---- the run */

static int find_command(struct sample_run *r)
{
	int err = target_resolve(*r->command, &r->user, r->command_path);

	if (!err)
		return 0;
	if (err == -ENOENT)
		log_error("%s: not found", *r->command);
	else
		log_error("%s: cannot be run: %s", *r->command, strerror(-err));
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

static int start_targets(struct sample_run *r)
{
	const struct launch_options launch = {
		.argv = r->command,
		.path = r->command_path,
		.user = &r->user,
		.signal_mask = &r->old_mask,
		.on_child = &r->old_child,
		.files = &r->old_files,
		.stub_fd = -1,
		.rings_fd = -1,
	};
	int err = 0;

	getrlimit(RLIMIT_NOFILE, &r->old_files);
	if (signals_open(&r->signals, r->command, 0))
		return -1;
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &r->old_child);
	for (size_t i = 0; r->pids_text && i < r->sampling.n_targets && !err; i++)
		err = target_attach(&r->targets[i], r->pids[i]);
	if (r->pids_text)
		return err;
	signal_watch_launching(&r->signals.watch, true);
	err = target_launch(r->targets, &launch);
	signal_watch_launching(&r->signals.watch, false);
	return err;
}

/* Samples can be taken of a packed program, but its file names no function. */
static void say_if_packed(const struct sample_run *r)
{
	char path[64];

	for (size_t i = 0; i < r->sampling.n_targets; i++) {
		if (r->pids_text)
			snprintf(path, sizeof(path), "/proc/%d/exe", r->pids[i]);
		const char *name = r->command ? r->command_path : path;
		if (r->command && user_enter(&r->user))
			return;
		int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (r->command)
			user_leave(&r->user);
		if (fd >= 0 && gobin_is_packed(fd))
			log_info(
				"%s: packed by UPX: samples will not name its functions; unpack it (upx -d)",
				name);
		if (fd >= 0)
			close(fd);
	}
}

/* Ends as the command did: the same status, or death by the same signal. */
static int status_of_target(const struct sample_run *r)
{
	const struct target *t = r->targets;
	int status = t->wait_status;

	if (r->sampling.reason == END_INTERRUPTED && t->launched && !t->ended)
		status = r->signals.end_signal;
	else if (!t->launched || !t->ended)
		return 0;
	return end_as(status);
}

/* An exit status, or -1: as the target's. */
static int run_prepared(struct sample_run *r)
{
	struct sampling *s = &r->sampling;
	struct trace_writer *w;
	int fd;

	s->show_progress = isatty(STDERR_FILENO) && (r->pids_text || !isatty(STDOUT_FILENO));
	signal(SIGPIPE, SIG_IGN);
	if (describe(r) || trace_output_open(&r->invoker, r->output, &fd))
		return STATUS_FAILED;
	w = trace_writer_new(fd, &r->info);
	if (w && trace_output_publish(&r->invoker, r->output, &r->kept_old)) {
		trace_writer_abort(w);
		w = NULL;
	} else {
		r->published = w;
	}
	int err = w ? sampling_run(s, w) : -EIO;
	bool never_ran = !w || s->exec_err || (r->command && !r->targets->exec_ns);

	if (never_ran || !s->start_ns) {
		trace_output_withdraw(&r->invoker, r->output, r->published, r->kept_old);
		if (!s->exec_err)
			return STATUS_FAILED;
		log_error("%s: cannot be run: %s", *r->command, strerror(-s->exec_err));
		return s->exec_err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	}
	say_how_it_ended(r, err);
	if (s->reason != END_INTERRUPTED)
		sampling_wait(s);
	return -1;
}

static int sample(struct sample_run *r)
{
	struct sampling *s = &r->sampling;
	sigset_t too_large;
	int status = 0;

	/* A file size limit is an error like a full disk. */
	sigemptyset(&too_large);
	sigaddset(&too_large, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &too_large, &r->old_mask);
	if (user_find(NULL, &r->invoker) || user_find(r->user_name, &r->user))
		return STATUS_FAILED;
	if (r->command)
		status = find_command(r);
	if (status)
		return status;
	s->command = r->command_path;
	s->user = &r->user;
	s->targets = r->targets;
	s->signals = &r->signals;
	s->name_addresses = name_addresses;
	say_if_packed(r);
	status = start_targets(r) || sampling_prepare(s) ? STATUS_FAILED : run_prepared(r);
	sampling_close(s);
	return status < 0 ? status_of_target(r) : status;
}

int cmd_sample(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "-- COMMAND [ARG...]\n--pid PID[,PID...]",
					  doc,     NULL,  NULL,
					  NULL };
	struct sample_run *r = calloc(1, sizeof(*r));

	if (!r) {
		log_no_memory("out of memory");
		return STATUS_FAILED;
	}
	r->output = "gotrace.out";
	r->signals.fd = -1;
	r->sampling.hz = HZ_DEFAULT;
	r->sampling.event = event_types;
	for (size_t i = 0; i < PIDS_MAX; i++)
		r->targets[i] = (struct target){ .pidfd = -1, .hold_fd = -1, .exec_fd = -1 };
	arg_parse(&argp, argc, argv, ARGP_IN_ORDER, r);
	int status = sample(r);

	for (size_t i = 0; i < r->sampling.n_targets; i++)
		target_close(&r->targets[i]);
	signals_close(&r->signals);
	trace_info_free(&r->info);
	free(r);
	return status;
}

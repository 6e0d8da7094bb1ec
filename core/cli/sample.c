// SPDX-License-Identifier: BSD-2-Clause
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
#include "base/own_proc.h"
#include "sample/sampling.h"
#include "base/file_limit.h"
#include "base/log.h"
#include "base/units.h"
#include "binary/gobin.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/name_addresses.h"
#include "cli/output.h"
#include "cli/sample_run.h"
#include "cli/trace_output.h"
#include "trace/keys.h"

/* ---- what the trace says of itself */

static int describe(struct sample_run *r)
{
	const struct sampling *s = &r->sampling;
	struct trace_info *t = &r->info;
	char line[4096] = "", path[PATH_MAX];
	size_t n = 0;
	int err = trace_info_set(t, KEY_MODE, MODE_SAMPLES);

	if (!err)
		err = describe_host(t);
	if (!err)
		err = trace_info_set(t, KEY_GOTRACE_VERSION, cli_version);
	if (!err)
		err = trace_info_set(t, KEY_SAMPLE_EVENT, r->given.event->name);
	if (!err && r->given.event->is_clock)
		err = trace_info_setf(t, KEY_SAMPLE_FREQUENCY, "%u", r->given.hz);
	if (!err && r->given.count)
		err = trace_info_setf(t, KEY_SAMPLE_COUNT, "%u", r->given.count);
	if (!err && r->given.kernel)
		err = trace_info_set(t, KEY_SAMPLE_KERNEL, "1");
	if (!err && r->given.labels)
		err = trace_info_set(t, KEY_SAMPLE_LABELS, "1");
	if (!err && s->wall.on)
		err = trace_info_set(t, KEY_SAMPLE_WALL, "1");
	if (!err && s->wall.on)
		err = trace_info_set(t, KEY_STATES, "1");
	if (!err && r->given.record_signals)
		err = trace_info_set(t, KEY_RECORD_SIGNALS, "1");
	if (!err && r->pids_text)
		err = trace_info_set(t, KEY_SAMPLE_PIDS, r->pids_text);
	if (!err && s->host.on)
		err = trace_info_set(t, KEY_SAMPLE_HOST,
				     s->host.cgroup ? s->host.cgroup : HOST_ALL);
	for (char *const *a = r->command; a && *a && n < sizeof(line) - 2; a++)
		n += snprintf(line + n, sizeof(line) - n, "%s%s", n ? " " : "", *a);
	if (!err && n)
		err = trace_info_set(t, KEY_COMMAND, line);
	/* A relative name would mean nothing later. */
	if (!err && r->command)
		err = trace_info_set(t, KEY_BINARY_PATH,
				     realpath(r->command_path, path) ? path : r->command_path);
	if (!err && !s->host.on)
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
	if (!s->counts.samples && !wall_samples(&s->wall) && !err)
		log_warn("no sample was taken: %s",
			 r->given.event->is_clock ? "the program took hardly any processor time"
						  : "the event did not happen");
	log_info("%s: %" PRIu64 " samples; next: gotrace report%s%s", r->output,
		 s->counts.samples + wall_samples(&s->wall),
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
		.signal_mask = file_limit_mask(),
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
	for (size_t i = 0; r->pids_text && i < r->given.n_targets && !err; i++)
		err = target_attach(&r->targets[i], r->pids[i]);
	if (!r->command)
		return err;
	signal_watch_launching(&r->signals.watch, true);
	err = target_launch(r->targets, &launch);
	signal_watch_launching(&r->signals.watch, false);
	return err;
}

/*
 * What the user may only execute is not for the trace to show; and of a program that it may not
 * read the kernel ends all events as it is executed. Samples can be taken of a packed program, but
 * its file names no function. 0 or -errno (logged).
 */
static int look_at_binaries(const struct sample_run *r)
{
	char path[64];

	for (size_t i = 0; i < r->given.n_targets; i++) {
		if (r->pids_text)
			snprintf(path, sizeof(path), "/proc/%d/exe", r->pids[i]);
		const char *name = r->command ? r->command_path : path;
		int err = r->command ? user_enter(&r->user) : 0;
		if (err)
			return err;
		int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		err = fd < 0 && errno == EACCES && r->command ? -EACCES : 0;
		if (r->command)
			user_leave(&r->user);
		if (err)
			log_error("%s: cannot be opened: %s", name, strerror(-err));
		else if (fd >= 0 && r->pids_text)
			err = refuse_unreadable(&r->invoker, fd, r->pids[i]);
		if (!err && fd >= 0 && gobin_is_packed(fd))
			log_info(
				"%s: packed by UPX: samples will not name its functions; unpack it (upx -d)",
				name);
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
	return 0;
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

	r->given.show_progress = isatty(STDERR_FILENO) && (!r->command || !isatty(STDOUT_FILENO));
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
		log_error("%s: cannot be run: %s%s", *r->command, strerror(-s->exec_err),
			  s->exec_err == -ENOEXEC
				  ? ". It may be built for another processor. Build it for this one"
				  : "");
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
	int status = 0;

	if (user_find(NULL, &r->invoker) || user_find(r->user_name, &r->user))
		return STATUS_FAILED;
	if (r->command)
		status = find_command(r);
	if (status)
		return status;
	r->given.command = r->command_path;
	r->given.user = &r->user;
	r->given.targets = r->targets;
	r->given.signals = &r->signals;
	r->given.name_addresses = name_addresses;
	r->naming.sampling = s;
	r->given.name_ctx = &r->naming;
	r->given.name_ended = name_ended;
	r->naming.cache = &r->symbols;
	r->naming.debuginfod = &r->invoker;
	if (look_at_binaries(r))
		return STATUS_FAILED;
	status = start_targets(r) || sampling_prepare(s) ? STATUS_FAILED : run_prepared(r);
	sampling_close(s);
	symbols_cache_free(&r->symbols);
	return status < 0 ? status_of_target(r) : status;
}

int cmd_sample(int argc, char **argv)
{
	struct sample_run *r = calloc(1, sizeof(*r));

	if (!r) {
		log_no_memory("out of memory");
		return STATUS_FAILED;
	}
	r->output = "gotrace.out";
	r->signals.fd = -1;
	r->given.wake_fd = -1;
	r->sampling.given = &r->given;
	for (size_t i = 0; i < PIDS_MAX; i++)
		r->targets[i] = (struct target){ .pidfd = -1, .hold_fd = -1, .exec_fd = -1 };
	sample_options_parse(r, argc, argv);
	int status = own_proc("/proc") ? sample(r) : STATUS_FAILED;

	for (size_t i = 0; i < r->given.n_targets; i++)
		target_close(&r->targets[i]);
	signals_close(&r->signals);
	trace_info_free(&r->info);
	free(r);
	return status;
}

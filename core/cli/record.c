// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
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
#include "attach/kernel/memory_cap.h"
#include "base/clock.h"
#include "base/file_limit.h"
#include "base/log.h"
#include "base/own_proc.h"
#include "base/urgency.h"
#include "cli/cli.h"
#include "cli/name_addresses.h"
#include "cli/record_run.h"
#include "plan/presets.h"
#include "trace/keys.h"

/* ---- keys of the trace */

static int set_command(struct trace_info *info, char *const *argv)
{
	char line[4096];
	size_t n = 0;

	for (; argv && *argv && n < sizeof(line) - 2; argv++)
		n += snprintf(line + n, sizeof(line) - n, "%s%s", n ? " " : "", *argv);
	return trace_info_set(info, KEY_COMMAND, line);
}

static int set_list(struct trace_info *info, const char *key, const char *const *list, size_t n)
{
	char name[64];
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		snprintf(name, sizeof(name), "%s.%zu", key, i);
		err = trace_info_set(info, name, list[i]);
	}
	return err;
}

/* "waits,db" */
static int set_presets(struct trace_info *t, unsigned wanted)
{
	char list[64] = "";

	for (const struct preset *p = presets; p->bit; p++)
		if (wanted & p->bit) {
			strcat(list, *list ? "," : "");
			strcat(list, p->name);
		}
	return *list ? trace_info_set(t, KEY_SELECT_PRESETS, list) : 0;
}

static int describe(struct run *r)
{
	const struct plan_options *p = &r->chosen.plan_options;
	struct trace_info *t = &r->info;
	char path[PATH_MAX];
	int err = describe_plan(t, r->chosen.plan);

	/* A relative name or /proc/PID/exe would mean nothing later. */
	if (!err)
		err = describe_binary(t, r->chosen.binary,
				      realpath(r->chosen.binary_path, path) ? path
									    : r->chosen.binary_path,
				      r->chosen.layout.from_dwarf);
	if (!err)
		err = describe_host(t);
	if (!err)
		err = trace_info_set(t, KEY_GOTRACE_VERSION, cli_version);
	if (!err)
		err = trace_info_setf(t, KEY_PID, "%d", r->target.pid);
	if (!err && r->opt->command)
		err = set_command(t, r->opt->command);
	if (!err && *r->chosen.user.name)
		err = trace_info_set(t, KEY_USER, r->chosen.user.name);
	if (!err)
		err = set_list(t, KEY_SELECT_PACKAGE, p->packages, p->n_packages);
	if (!err)
		err = set_list(t, KEY_SELECT_FUNCTION, p->globs, p->n_globs);
	if (!err)
		err = set_list(t, KEY_SELECT_EXCLUDE, p->excludes, p->n_excludes);
	if (!err)
		err = set_list(t, KEY_SELECT_KEY, r->opt->selection.keys, r->opt->selection.n_keys);
	if (!err)
		err = set_presets(t, p->presets);
	if (!err && r->chosen.clock.unchecked && r->probing.strategy == PROBE_INLINE)
		err = trace_info_set(t, KEY_CLOCK_UNCHECKED, "1");
	if (!err && p->wrappers)
		err = trace_info_set(t, KEY_SELECT_WRAPPERS, "1");
	if (!err && r->opt->record_signals)
		err = trace_info_set(t, KEY_RECORD_SIGNALS, "1");
	if (!err)
		err = record_keep_describe(r->opt, t);
	return err ? err : recording_describe(&r->recording, t);
}

/* ---- the run */

/* What is opened before the links, which raise the limit to what they need. */
#define FILES_MIN 64

static void raise_files(struct rlimit *was)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, was);
	files = *was;
	if (files.rlim_cur < FILES_MIN) {
		files.rlim_cur = files.rlim_max < FILES_MIN ? files.rlim_max : FILES_MIN;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int start_target(struct run *r)
{
	const struct launch_options launch = {
		.argv = r->opt->command,
		.path = r->chosen.command_path,
		.user = &r->chosen.user,
		.signal_mask = file_limit_mask(),
		.on_child = &r->old_child,
		.files = &r->old_files,
		.stub_fd = r->probing.stub_fd,
		.rings_fd = r->probing.rings.fd,
	};

	raise_files(&r->old_files);
	if (signals_open(&r->signals, !r->opt->pid,
			 gate_args_signals(&r->opt->gate) | flight_args_signals(&r->opt->flight)))
		return -1;
	/* If SIGCHLD were ignored, the command's exit status would be lost. */
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &r->old_child);
	if (r->opt->pid) {
		if (!target_reap(&r->target))
			return 0;
		log_error("process %d has ended", r->opt->pid);
		return -1;
	}
	signal_watch_launching(&r->signals.watch, true);
	int err = target_launch(&r->target, &launch);
	signal_watch_launching(&r->signals.watch, false);
	return err;
}

/* As wait(2) would say it. */
static int status_of_target(const struct run *r)
{
	if (r->recording.outcome.reason == END_INTERRUPTED && r->target.launched &&
	    !r->target.ended)
		return r->signals.end_signal;
	return r->target.launched && r->target.ended ? r->target.wait_status : 0;
}

static int exec_failed(const struct run *r, int err)
{
	log_error("%s: cannot be run: %s", r->opt->command[0], strerror(-err));
	return err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Before the collector is closed. */
static void measure(const struct run *r, struct record_measured *m)
{
	const struct recording *rec = &r->recording;
	const struct collector_stats s = rec->collector ? collector_stats(rec->collector)
							: (struct collector_stats){ 0 };

	m->complete = rec->outcome.reason == END_EXITED;
	m->wall_ns = m->complete ? rec->outcome.target_end_ns - r->target.exec_ns : 0;
	m->cpu_ns = target_cpu_ns(&r->target);
	m->events = s.events;
	m->lost_events = s.lost_events;
}

static int run_prepared(struct run *r)
{
	struct recording *rec = &r->recording;
	struct trace_writer *writer;
	int fd, err;

	/* A held child that was killed is an error like any other; the command was forked before
	 * and has its own settings. */
	signal(SIGPIPE, SIG_IGN);
	err = describe(r);
	if (err) {
		log_error("the trace cannot be described: %s", strerror(-err));
		return STATUS_FAILED;
	}
	if (record_open_output(r, &fd))
		return STATUS_FAILED;
	writer = trace_writer_new(fd, &r->info);
	if (writer && (record_keep_begin(r, writer) || record_publish_output(r) ||
		       (r->host && r->host->begin && r->host->begin(r->host->ctx)))) {
		trace_writer_abort(writer);
		writer = NULL;
	}
	err = writer ? recording_run(rec, writer) : -errno;
	if (r->host && r->host->end)
		r->host->end(r->host->ctx);
	if (!writer || rec->outcome.exec_err || rec->outcome.refused ||
	    (r->target.launched && !r->target.exec_ns)) {
		record_withdraw_output(r);
		if (!rec->outcome.exec_err)
			return STATUS_FAILED;
		return exec_failed(r, rec->outcome.exec_err);
	}
	if (r->host && r->host->measured)
		measure(r, r->host->measured);
	if (r->opt->trial_ns)
		record_trial_print(r, stderr);
	else if (!r->host)
		record_say_how_it_ended(r, err);
	recording_close(rec); /* the command may run much longer */
	death_watch_close(&r->deaths);
	if (rec->outcome.reason != END_INTERRUPTED)
		recording_wait(&r->target, &r->signals);
	return -1; /* end as the target did */
}

/* As a recording's, without a probe. */
static int run_untraced(struct run *r)
{
	struct recording *rec = &r->recording;

	if (start_target(r))
		return STATUS_FAILED;
	int err = target_release(&r->target, NULL, NULL);

	if (err)
		return exec_failed(r, err);
	recording_wait(&r->target, &r->signals);
	rec->outcome.target_end_ns = clock_monotonic_ns();
	rec->outcome.reason = r->target.ended ? END_EXITED : END_FAILED;
	measure(r, r->host->measured);
	return -1;
}

/*
 * A machine on which somebody attaches to a server is often busy. The set-up takes no more
 * processor time so, but it is over before the server has changed. A command would inherit it.
 */
#define SET_UP_URGENT 10

static void begin_set_up(struct run *r)
{
	if (r->opt->pid)
		r->nice = urgency_raise(SET_UP_URGENT);
}

static void end_set_up(struct run *r)
{
	if (r->opt->pid)
		urgency_put_back(r->nice);
}

/* The options as the recording has them; record_keep_begin adds the hooks. */
static struct recording_given recording_given(struct run *r)
{
	const struct record_options *opt = r->opt;
	const bool terminal = isatty(STDERR_FILENO);

	return (struct recording_given){
		.binary = r->chosen.binary,
		.layout = &r->chosen.layout,
		.caps = &r->chosen.caps,
		.exe_fd = r->chosen.exe_fd,
		.kind = opt->kind,
		.ring_bytes = opt->ring_bytes,
		.ring_bytes_sum = memory_cap_bytes(),
		.duration_ns = opt->trial_ns ? opt->trial_ns : opt->duration_ns,
		.max_bytes = opt->max_bytes,
		.max_cost = opt->max_cost,
		.max_cost_traps = opt->max_cost_traps,
		.max_cost_ends = opt->pid && !opt->trial_ns,
		.second_source = opt->record_signals ? &death_watch_source : NULL,
		.second = &r->deaths,
		.never_released = r->chosen.named,
		/* The command would tear a line that is rewritten on its own terminal. */
		.advise = !opt->trial_ns && !r->host && (opt->pid || terminal),
		.show_progress = !r->host && terminal && (opt->pid || !isatty(STDOUT_FILENO)),
	};
}

static int run_traced(struct run *r)
{
	struct recording *rec = &r->recording;
	int status = record_plan(r);

	if (status)
		return status;
	r->deaths = (struct death_watch){
		.path = r->chosen.binary_path,
		.user = &r->chosen.user,
		.name_addresses = name_addresses,
	};
	r->given = recording_given(r);
	*rec = (struct recording){
		.given = &r->given,
		.probing = &r->probing,
		.target = &r->target,
		.signals = &r->signals,
		.phases = &r->phases,
	};
	if (start_target(r))
		return STATUS_FAILED;
	phases_done(&r->phases, PHASE_LAUNCH);
	r->given.cpu_rings = record_early_take_cpu_rings(&r->early);
	int prepared = recording_prepare(rec);

	end_set_up(r);
	if (!prepared)
		status = run_prepared(r);
	else if (r->target.launched && target_reap(&r->target) &&
		 WIFSIGNALED(r->target.wait_status))
		status = -1; /* killed while it was held: not a failure of gotrace */
	else
		status = STATUS_FAILED;
	recording_close(rec);
	death_watch_close(&r->deaths);
	record_keep_end(r);
	return status;
}

static bool takes_inline(const struct record_options *opt)
{
	const enum probe_strategy s = opt->selection.plan.strategy;

	return s == PROBE_INLINE || s == PROBE_AUTO;
}

static int record(struct run *r)
{
	struct record_measured *measured = r->host ? r->host->measured : NULL;

	phases_begin(&r->phases);
	if (user_find(NULL, &r->chosen.invoker) || user_find(r->opt->user, &r->chosen.user))
		return STATUS_FAILED;
	const bool traced = !r->host || !r->host->untraced;
	begin_set_up(r);
	if (traced)
		record_early_begin(&r->early, r->opt->selection.stub != CHOICE_JUMP,
				   takes_inline(r->opt));
	int status = record_find_binary(r);

	phases_done(&r->phases, PHASE_BINARY);
	if (!status)
		status = traced ? run_traced(r) : run_untraced(r);
	if (status >= 0)
		return status;
	if (!measured)
		return end_as(status_of_target(r));
	measured->ended = true;
	measured->stopped = r->recording.outcome.reason == END_INTERRUPTED ||
			    r->signals.came & ~(1u << SIGUSR1 | 1u << SIGUSR2);
	measured->wait_status = status_of_target(r);
	return 0;
}

static struct run *new_run(void)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->chosen.exe_fd = r->probing.stub_fd = r->probing.lock_fd = r->probing.rings.fd = -1;
	r->early.caps.fd = r->early.rings.fd = r->early.cpu_rings.map = -1;
	r->signals.fd = -1;
	r->target = (struct target){ .pidfd = -1, .hold_fd = -1, .exec_fd = -1 };
	return r;
}

static void free_run(struct run *r)
{
	record_early_end(&r->early);
	target_close(&r->target);
	signals_close(&r->signals);
	probing_close(&r->probing);
	plan_free(r->chosen.plan);
	gobin_close(r->chosen.binary);
	if (r->chosen.exe_fd >= 0)
		close(r->chosen.exe_fd);
	trace_info_free(&r->info);
	free(r->chosen.also);
	free(r->chosen.named);
	free(r);
}

int record_with(const struct record_options *opt, const struct record_host *host)
{
	struct run *r = own_proc("/proc") ? new_run() : NULL;
	int status = STATUS_FAILED;

	if (!r)
		return status;
	r->opt = opt;
	r->host = host;
	r->chosen.plan_options = opt->selection.plan;
	status = record(r);
	free_run(r);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct record_options *opt = calloc(1, sizeof(*opt));
	int status = STATUS_FAILED;

	if (opt) {
		record_options_parse(opt, argc, argv);
		status = record_with(opt, NULL);
		selection_free(&opt->selection);
		gate_args_free(&opt->gate);
		flight_args_free(&opt->flight);
	}
	free(opt);
	return status;
}

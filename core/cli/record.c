// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/describe.h"
#include "attach/recording.h"
#include "attach/springboard.h"
#include "attach/strategy.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/record_options.h"

/* All that one run of the verb holds. */
struct run {
	struct record_options opt;
	struct user invoker;         /* whose rights files are opened with, whose the trace is */
	struct user user;            /* who the command runs as */
	char command_path[PATH_MAX]; /* what is executed */
	char binary_path[PATH_MAX];  /* what is probed */
	int exe_fd;
	struct gobin *binary;
	struct golayout layout;
	struct plan *plan;
	struct target target;
	struct recording recording;
	struct trace_info info;
	int stub_fd;                 /* -1: no stubs */
	const char *why;             /* this way of probing */
	sigset_t old_mask;           /* signals as gotrace found them, for the command */
	struct sigaction old_child;
	bool stepped_aside;          /* an existing trace was renamed to FILE.old */
};

/* ---- which binary */

static bool starts_with_elf_magic(int fd)
{
	char magic[4];

	return pread(fd, magic, 4, 0) == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

/* Commands that only build or start something else cannot be traced themselves. */
static int refuse_launchers(const struct run *r)
{
	char *const *argv = r->opt.command;
	const char *base = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];

	if (strcmp(base, "go") || !argv[1])
		return 0;
	if (!strcmp(argv[1], "run"))
		log_error("'go run' starts the program as a child of its own; use: "
			  "go build -o prog %s && gotrace record -- ./prog", argv[2] ? argv[2] : ".");
	else if (!strcmp(argv[1], "test"))
		log_error("'go test' starts the tests as a child of its own; use: "
			  "go test -c -o prog.test %s && gotrace record -- ./prog.test", argv[2] ? argv[2] : ".");
	else
		return 0;
	return STATUS_FAILED;
}

static int find_command(struct run *r)
{
	const char *name = r->opt.command[0];
	int err = target_resolve(name, &r->user, r->command_path);

	if (err == -ENOENT) {
		log_error("%s: not found", name);
		return STATUS_NOT_FOUND;
	}
	if (err) {
		log_error("%s: cannot be run: %s", name, strerror(-err));
		return STATUS_CANNOT_RUN;
	}
	return 0;
}

static int open_binary(struct run *r)
{
	const char *path = r->binary_path;

	r->exe_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->exe_fd < 0) {
		log_error("%s: cannot be opened: %s%s", path, strerror(errno),
			  r->opt.pid ? "; does the process live, and is it yours?" : "");
		return STATUS_FAILED;
	}
	if (!r->opt.exe && !r->opt.pid && !starts_with_elf_magic(r->exe_fd)) {
		log_error("%s is a script, not a Go binary; trace what it starts: "
			  "gotrace record --exe BINARY -- %s", r->opt.command[0], r->opt.command[0]);
		return STATUS_FAILED;
	}
	r->binary = gobin_open(r->exe_fd, path);
	if (!r->binary && !r->opt.exe && !r->opt.pid && errno == ENOEXEC)
		log_info("to trace a Go binary that %s executes: gotrace record --exe BINARY -- %s",
			 r->opt.command[0], r->opt.command[0]);
	if (!r->binary || gobin_layout(r->binary, &r->layout))
		return STATUS_FAILED;
	return 0;
}

static int find_binary(struct run *r)
{
	int status = 0;

	if (r->opt.pid) {
		snprintf(r->binary_path, sizeof(r->binary_path), "/proc/%d/exe", r->opt.pid);
		if (access(r->binary_path, F_OK) && errno == ENOENT) {
			log_error("there is no process %d", r->opt.pid);
			return STATUS_FAILED;
		}
		return open_binary(r);
	}
	status = refuse_launchers(r);
	if (!status)
		status = find_command(r);
	if (!status && r->opt.exe) {
		int err = target_resolve(r->opt.exe, &r->user, r->binary_path);

		if (err) {
			log_error("--exe %s: %s", r->opt.exe, strerror(-err));
			return STATUS_FAILED;
		}
	} else if (!status) {
		memcpy(r->binary_path, r->command_path, sizeof(r->binary_path));
	}
	return status ? status : open_binary(r);
}

/* ---- the trace file */

static int old_name(const char *path, char *old)
{
	return snprintf(old, PATH_MAX, "%s.old", path) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* The one that stands there steps aside; only a regular file does. */
static int make_room(struct run *r)
{
	char old[PATH_MAX];
	struct stat st;
	int err;

	if (lstat(r->opt.output, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	err = old_name(r->opt.output, old);
	if (!err && rename(r->opt.output, old))
		err = -errno;
	r->stepped_aside = !err;
	return err;
}

static int open_output(struct run *r, int *fd)
{
	int err = user_enter(&r->invoker);

	if (!err)
		err = make_room(r);
	if (!err) {
		*fd = open(r->opt.output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		err = *fd < 0 ? -errno : 0;
	}
	user_leave(&r->invoker);
	if (err == -EEXIST)
		log_error("%s is not a regular file; name another one with -o", r->opt.output);
	else if (err)
		log_error("%s: cannot be written: %s", r->opt.output, strerror(-err));
	return err;
}

/* Nothing ran, so nothing is to be kept: what stood there comes back. */
static void withdraw_output(const struct run *r)
{
	char old[PATH_MAX];

	if (user_enter(&r->invoker))
		return;
	unlink(r->opt.output);
	if (r->stepped_aside && !old_name(r->opt.output, old) && rename(old, r->opt.output))
		log_warn("%s: cannot be renamed back: %s", old, strerror(errno));
	user_leave(&r->invoker);
}

/* ---- what the trace says of itself */

static int set_command(struct trace_info *info, char *const *argv)
{
	char line[4096];
	size_t n = 0;

	for (; argv && *argv && n < sizeof(line) - 2; argv++)
		n += snprintf(line + n, sizeof(line) - n, "%s%s", n ? " " : "", *argv);
	return trace_info_set(info, "command", line);
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

static int describe(struct run *r)
{
	const struct plan_options *p = &r->opt.selection.plan;
	struct trace_info *t = &r->info;
	char path[PATH_MAX];
	int err = describe_plan(t, r->plan);

	/* A relative name, or /proc/PID/exe, says nothing later. */
	if (!err)
		err = describe_binary(t, r->binary, realpath(r->binary_path, path) ? path : r->binary_path,
				      r->layout.from_dwarf);
	if (!err)
		err = describe_host(t);
	if (!err)
		err = trace_info_set(t, "gotrace.version", GOTRACE_VERSION);
	if (!err)
		err = trace_info_setf(t, "pid", "%d", r->target.pid);
	if (!err && r->opt.command)
		err = set_command(t, r->opt.command);
	if (!err && *r->user.name)
		err = trace_info_set(t, "user", r->user.name);
	if (!err)
		err = trace_info_set(t, "probe.why", r->why);
	if (!err)
		err = set_list(t, "select.package", p->packages, p->n_packages);
	if (!err)
		err = set_list(t, "select.function", p->globs, p->n_globs);
	if (!err)
		err = set_list(t, "select.exclude", p->excludes, p->n_excludes);
	if (!err && p->wrappers)
		err = trace_info_set(t, "select.wrappers", "1");
	return err ? err : recording_describe(&r->recording, t);
}

/* ---- the run */

/* A descriptor that the signals meant for gotrace are read from. One that was
 * ignored when gotrace started (nohup, a script's background job) stays so. */
static int block_signals(struct run *r)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction was;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!sigaction(wanted[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	/* Ignored, it would let the command's status vanish. */
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &r->old_child);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int start_target(struct run *r)
{
	const struct launch_options launch = {
		.argv = r->opt.command, .path = r->command_path,
		.user = &r->user, .signal_mask = &r->old_mask, .on_child = &r->old_child, .stub_fd = r->stub_fd,
	};

	return r->opt.pid ? target_attach(&r->target, r->opt.pid) : target_launch(&r->target, &launch);
}

/* An eighth of memory, at most 512 MiB. */
static size_t ring_cap(void)
{
	size_t cap = (size_t)512 << 20;
	size_t eighth = (size_t)sysconf(_SC_PHYS_PAGES) / 8 * sysconf(_SC_PAGESIZE);

	return eighth < cap ? eighth : cap;
}

static void say_how_it_ended(const struct run *r, int err)
{
	const struct recording *rec = &r->recording;
	struct collector_stats s = collector_stats(rec->collector);

	if (s.layout_wrong)
		log_warn("the first goroutine did not have id 1: the layout of runtime.g is not what this "
			 "Go version was taken for; do not trust this trace");
	if (err)
		log_warn("%s was cut short: %s; what is in it can be read", r->opt.output, strerror(-err));
	else if (rec->reason == END_DURATION || rec->reason == END_SIZE)
		log_info("tracing ended by %s%s", rec->reason == END_DURATION ? "-d" : "--max-size",
			 r->target.launched && !r->target.ended ? "; the command goes on" : "");
	if (s.lost_events)
		log_warn("%llu events were lost; a larger -m or fewer functions help",
			 (unsigned long long)s.lost_events);
	if (!s.events && !err && rec->reason == END_EXITED)
		log_warn("no call was recorded%s", r->opt.exe ?
			 ": BINARY must be executed by COMMAND's own process (exec), children are not followed" : "");
	if (rec->show_progress) /* silent in scripts: stderr is the command's */
		log_info("%llu events in %s (%.1f MB), probed by %s", (unsigned long long)s.events,
			 r->opt.output, s.bytes / 1e6, probe_strategy_name(r->plan->strategy));
}

/* As the shell sees it: the same status, or death by the same signal. */
static int status_of_target(const struct run *r)
{
	int status = r->target.wait_status;

	if (r->recording.reason == END_INTERRUPTED && r->target.launched && !r->target.ended)
		status = r->recording.end_signal;
	else if (!r->target.launched || !r->target.ended)
		return 0;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);

	struct rlimit no_core = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &no_core); /* the core that matters is the target's */
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static int run_prepared(struct run *r)
{
	struct recording *rec = &r->recording;
	struct trace_writer *writer;
	int fd, err;

	rec->show_progress = isatty(STDERR_FILENO);
	/* A file size limit is an error like a full disk, a held child that was killed one like any
	 * other; the command was forked before and has its own settings. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	err = describe(r);
	if (err) {
		log_error("the trace cannot be described: %s", strerror(-err));
		return STATUS_FAILED;
	}
	if (open_output(r, &fd))
		return STATUS_FAILED;
	writer = trace_writer_new(fd, &r->info);
	err = writer ? recording_run(rec, writer) : -errno;
	if (!writer || rec->exec_err || (r->target.launched && !r->target.exec_ns)) {
		withdraw_output(r);
		if (!rec->exec_err)
			return STATUS_FAILED;
		log_error("%s: cannot be run: %s", r->opt.command[0], strerror(-rec->exec_err));
		return rec->exec_err == -ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	}
	say_how_it_ended(r, err);
	recording_close(rec); /* the command may go on for long */
	if (rec->reason != END_INTERRUPTED)
		recording_wait(rec);
	return -1; /* as the target's */
}

/* Stubs of the kind that was asked for, as far as the kernel makes something of it. */
static enum stub_kind stub_kind(const struct run *r)
{
	enum stub_kind nop = strategy_nop(&r->recording.caps);

	if (r->opt.selection.stub == CHOICE_NOP && nop == STUB_JUMP)
		log_warn("--stub=nop: this kernel makes a call of no nop, so one is no cheaper than a jump: stubs with jumps");
	return r->opt.selection.stub == CHOICE_JUMP ? STUB_JUMP : nop;
}

/* What is probed, where and how. 0 or STATUS_FAILED. */
static int make_plan(struct run *r)
{
	struct plan_options *opt = &r->opt.selection.plan;
	struct recording *rec = &r->recording;

	caps_probe_aside(&rec->caps, r->opt.selection.stub != CHOICE_JUMP);
	opt->stub = stub_kind(r);
	r->plan = plan_build(r->binary, opt);
	if (!r->plan)
		return STATUS_FAILED;
	if (!r->plan->n_probed) {
		log_error("none of the %zu selected functions can be probed; 'gotrace plan' says why", r->plan->n_funcs);
		return STATUS_FAILED;
	}
	struct strategy s = {
		.caps = &rec->caps, .step_rets = r->opt.step_rets, .launched = !r->opt.pid,
		.other_command = r->opt.exe, .exe_fd = r->exe_fd, .pid = r->opt.pid,
	};
	if (strategy_choose(&s, r->plan))
		return STATUS_FAILED;
	rec->perform_ret = s.perform_ret;
	r->why = s.why;
	if (!r->plan->stubs.bytes)
		return 0;
	r->stub_fd = springboard_file(r->plan);
	if (r->stub_fd < 0) {
		log_error("there is no file in memory for the stubs: %s; use --probe=emulated", strerror(-r->stub_fd));
		return STATUS_FAILED;
	}
	return 0;
}

static int record(struct run *r)
{
	struct recording *rec = &r->recording;
	int status = 0;

	if (user_find(NULL, &r->invoker) || user_find(r->opt.user, &r->user))
		return STATUS_FAILED;
	status = find_binary(r);
	if (!status)
		status = make_plan(r);
	if (status)
		return status;
	*rec = (struct recording){
		.binary = r->binary, .layout = &r->layout, .plan = r->plan, .exe_fd = r->exe_fd, .stub_fd = r->stub_fd,
		.caps = rec->caps, .perform_ret = rec->perform_ret,
		.kind = r->opt.kind, .ring_bytes = r->opt.ring_bytes, .ring_bytes_sum = ring_cap(),
		.duration_ns = r->opt.duration_ns, .max_bytes = r->opt.max_bytes, .target = &r->target,
		.signal_fd = block_signals(r),
	};
	if (rec->signal_fd < 0 || start_target(r))
		return STATUS_FAILED;
	status = recording_prepare(rec) ? STATUS_FAILED : run_prepared(r);
	recording_close(rec);
	if (status < 0)
		return status_of_target(r);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct run *r = calloc(1, sizeof(*r));
	int status = STATUS_FAILED;

	if (r) {
		r->exe_fd = r->stub_fd = -1;
		r->target = (struct target){ .pidfd = -1, .hold_fd = -1, .exec_fd = -1 };
		record_options_parse(&r->opt, argc, argv);
		status = record(r);
		target_close(&r->target);
		plan_free(r->plan);
		gobin_close(r->binary);
		if (r->exe_fd >= 0)
			close(r->exe_fd);
		if (r->stub_fd >= 0)
			close(r->stub_fd);
		trace_info_free(&r->info);
		selection_free(&r->opt.selection);
	}
	free(r);
	return status;
}

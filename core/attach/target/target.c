// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/target/linking.h"
#include "attach/target/libc_signals.h"
#include "attach/target/mappings.h"
#include "attach/target/process_stat.h"
#include "base/clock.h"
#include "base/log.h"

static int open_pidfd(pid_t pid)
{
	/* 32fcb426ec00, Linux 5.3; close-on-exec by itself */
	return syscall(SYS_pidfd_open, pid, 0);
}

/* ---- finding the command */

static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? -errno : 0;
}

/* As execvp: an empty element of PATH is the current folder. */
static int search_path(const char *command, char *path)
{
	const char *dirs = getenv("PATH"), *next;
	int best = -ENOENT;

	for (const char *p = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; p; p = next) {
		int n = strcspn(p, ":");

		next = p[n] ? p + n + 1 : NULL;
		if (snprintf(path, PATH_MAX, "%.*s%s%s", n, p, n ? "/" : "./", command) >= PATH_MAX)
			continue;
		int err = executable(path);
		if (!err)
			return 0;
		if (err == -EACCES) /* as the shell: 126 only if nothing better follows */
			best = err;
	}
	return best;
}

int target_resolve(const char *command, const struct user *u, char *path)
{
	int err = user_enter(u);

	if (err)
		return err;
	if (!*command) {
		err = -ENOENT;
	} else if (strchr(command, '/')) {
		snprintf(path, PATH_MAX, "%s", command);
		err = executable(path);
	} else {
		err = search_path(command, path);
	}
	user_leave(u);
	return err == -ENOTDIR ? -ENOENT : err;
}

/* ---- starting it */

/* Messages to the held child. */
#define GO        'g'
#define GO_SEIZED 's' /* keep stub_fd open through the exec */

static _Noreturn void child(const struct launch_options *opt, int hold_fd, int exec_fd)
{
	char go;
	ssize_t n;

	do
		n = read(hold_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(125); /* the tracer is gone */
	int err = user_become(opt->user);
	if (!err) {
		libc_signals_put_back();
		sigaction(SIGCHLD, opt->on_child, NULL);
		sigprocmask(SIG_SETMASK, opt->signal_mask, NULL);
		setrlimit(RLIMIT_NOFILE, opt->files);
		if (go == GO_SEIZED && opt->stub_fd >= 0)
			fcntl(opt->stub_fd, F_SETFD, 0);
		if (go == GO_SEIZED && opt->rings_fd >= 0)
			fcntl(opt->rings_fd, F_SETFD, 0);
		execv(opt->path, opt->argv);
		err = -errno;
	}
	if (write(exec_fd, &err, sizeof(err)) != sizeof(err))
		_exit(125);
	_exit(126);
}

/*
 * A gotrace with file capabilities is not dumpable: its /proc entries are root's and it may not
 * be ptraced. The same holds for its child until the exec, but gotrace reads the child's /proc
 * entries and seizes it before. So the child is forked dumpable. A process with fewer capabilities
 * still may not trace it (security/commoncap.c, cap_ptrace_access_check).
 */
static pid_t fork_dumpable(void)
{
	int was = prctl(PR_GET_DUMPABLE);

	prctl(PR_SET_DUMPABLE, 1);
	pid_t pid = fork();
	if (pid && was != 1)
		prctl(PR_SET_DUMPABLE, 0);
	return pid;
}

int target_launch(struct target *t, const struct launch_options *opt)
{
	int hold[2] = { -1, -1 }, exec[2] = { -1, -1 };

	*t = (struct target){ .pidfd = -1, .hold_fd = -1, .exec_fd = -1, .launched = true };
	if (pipe2(hold, O_CLOEXEC) || pipe2(exec, O_CLOEXEC) || (t->pid = fork_dumpable()) < 0) {
		int err = -errno;

		log_error("the command cannot be started: %s", strerror(-err));
		close(hold[0]), close(hold[1]), close(exec[0]), close(exec[1]);
		return err;
	}
	if (t->pid == 0) {
		close(hold[1]), close(exec[0]);
		child(opt, hold[0], exec[1]);
	}
	close(hold[0]), close(exec[1]);
	t->hold_fd = hold[1];
	t->exec_fd = exec[0];
	t->pidfd = open_pidfd(t->pid);
	if (t->pidfd < 0) {
		int err = -errno;

		log_error("pidfd_open: %s (Linux 5.3 or newer is needed)", strerror(-err));
		target_close(t);
		return err;
	}
	return 0;
}

int target_seize(struct target *t)
{
	int err = inject_seize(t->pid);

	t->seized = !err;
	return err;
}

/* Waits for the stop at the exec, calls at_exec and lets the child go on. */
static void pass_exec(struct target *t, void (*at_exec)(void *ctx, struct inject *in), void *ctx)
{
	struct inject in;
	int err = inject_wait_exec(&in, t->pid, &t->wait_status);

	t->seized = false;
	t->ended = err == -ECHILD;
	if (t->ended)
		return;
	uint64_t start = clock_monotonic_ns();
	at_exec(ctx, err ? NULL : &in);
	t->exec_ns += clock_monotonic_ns() - start; /* the command does not run meanwhile */
	if (err)
		inject_let_go(&in);
	else if (t->at_mapped)
		err = linking_pass(&in, t->at_mapped, t->mapped_ctx);
	else
		inject_end(&in);
	if (err)
		log_debug("held at its exec: %s", strerror(-err));
	/* it was killed meanwhile */
	t->ended = WIFEXITED(t->wait_status) || WIFSIGNALED(t->wait_status);
}

int target_release(struct target *t, void (*at_exec)(void *ctx, struct inject *in), void *ctx)
{
	int err = 0;
	ssize_t n;

	const char go = t->seized ? GO_SEIZED : GO;

	/* EPIPE: the held child was killed, which target_reap notices. */
	if (write(t->hold_fd, &go, 1) != 1 && errno != EPIPE)
		return -errno;
	t->exec_ns = clock_monotonic_ns();
	if (t->seized)
		pass_exec(t, at_exec, ctx);
	do
		n = read(t->exec_fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(t->hold_fd);
	close(t->exec_fd);
	t->hold_fd = t->exec_fd = -1;
	return n == sizeof(err) ? err : 0;
}

int target_attach(struct target *t, pid_t pid)
{
	*t = (struct target){ .pid = pid, .pidfd = open_pidfd(pid), .hold_fd = -1, .exec_fd = -1 };
	if (t->pidfd < 0) {
		int err = -errno;

		log_error(err == -ESRCH                      ? "there is no process %d"
			  : err == -EINVAL || err == -ENOENT ? "%d is a thread, not a process"
							     : "process %d cannot be opened",
			  pid);
		return err;
	}
	return 0;
}

uint64_t target_cpu_ns(const struct target *t)
{
	struct timespec ts;
	clockid_t clock;

	if (t->ended)
		return t->cpu_ns;
	if (clock_getcpuclockid(t->pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t target_system_ns(const struct target *t)
{
	unsigned long long user, system;
	char line[PROCESS_STAT_BYTES];

	if (t->ended)
		return t->system_ns;
	const char *at = process_stat(t->pid, line);

	if (!at || sscanf(at, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
			  &system) != 2)
		return 0;
	return system * (1000000000ull / (unsigned long)sysconf(_SC_CLK_TCK));
}

bool target_reap(struct target *t)
{
	if (t->ended)
		return true;
	t->cpu_ns = target_cpu_ns(t); /* a process that was waited for has no clock */
	t->system_ns = target_system_ns(t);
	if (t->launched) {
		struct rusage used;
		pid_t got = wait4(t->pid, &t->wait_status, WNOHANG, &used);

		t->ended = got == t->pid || (got < 0 && errno == ECHILD);
		if (got == t->pid)
			t->system_ns = (uint64_t)used.ru_stime.tv_sec * 1000000000 +
				       (uint64_t)used.ru_stime.tv_usec * 1000;
	} else {
		struct pollfd p = { .fd = t->pidfd, .events = POLLIN };

		t->ended = poll(&p, 1, 0) == 1;
	}
	return t->ended;
}

void target_close(struct target *t)
{
	if (t->hold_fd >= 0) { /* never released: it exits by itself */
		close(t->hold_fd);
		if (t->seized && !t->ended) /* it may be stopped by a signal */
			kill(t->pid, SIGKILL);
		if (t->launched && !t->ended)
			t->ended = waitpid(t->pid, &t->wait_status, 0) == t->pid;
	}
	if (t->exec_fd >= 0)
		close(t->exec_fd);
	if (t->pidfd >= 0)
		close(t->pidfd);
	t->hold_fd = t->exec_fd = t->pidfd = -1;
}

int target_identify(pid_t pid, struct target_config *out)
{
	char path[64], line[256];
	unsigned number = 0;
	struct stat ns;
	int err = 0;

	*out = (struct target_config){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	if (stat(path, &ns))
		err = -errno;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	if (!f && !err)
		err = -errno;
	while (f && fgets(line, sizeof(line), f)) {
		char *last = strrchr(line, '\t');

		/* One number for each namespace from ours down to its own. */
		if (strncmp(line, "NSpid:", 6) == 0 && last)
			number = strtoul(last, NULL, 10);
	}
	if (f)
		fclose(f);
	if (!err && !number)
		err = -ESRCH;
	if (err) {
		log_error("process %d cannot be identified: %s", pid, strerror(-err));
		return err;
	}
	out->tgid = number;
	out->pidns_dev = ns.st_dev;
	out->pidns_ino = ns.st_ino;
	return 0;
}

/* 1 or 0, or -errno: no file there can be looked at. */
static int is_file(const char *path, const struct stat *file)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	return st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

int target_executes(pid_t pid, int fd)
{
	struct stat file;
	char path[32];

	if (fstat(fd, &file))
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	int is = is_file(path, &file);
	return is == -ENOENT || is == -ESRCH ? 0 : is;
}

/* The numbers in the memory map are not those of stat on overlay file systems. The kernel opens
 * what is mapped for who may checkpoint; for others the file has to be at its path. */
static bool is_of_library(pid_t pid, const struct mapping *m, const struct stat *library)
{
	char path[PATH_MAX + 32];

	if (*m->path != '/')
		return false;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", pid, (unsigned long)m->start,
		 (unsigned long)m->end);
	if (is_file(path, library) == 1)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->path);
	return is_file(path, library) == 1;
}

int target_text_bias(pid_t pid, int fd, uint64_t vaddr, uint64_t file_off, uint64_t *bias)
{
	char path[64], exe[PATH_MAX + 16];
	const bool executed = target_executes(pid, fd) == 1;
	struct stat library;
	struct mappings maps;
	struct mapping m;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	ssize_t n = readlink(path, exe, sizeof(exe) - 1);
	if (n < 0 || fstat(fd, &library))
		return -errno;
	exe[n] = '\0';
	int err = mappings_open(&maps, pid);
	if (err)
		return err;
	err = -ENOENT;
	while (err && mappings_next(&maps, &m)) {
		if (!m.executable || m.writable || file_off < m.file_off ||
		    file_off - m.file_off >= m.end - m.start)
			continue;
		/* The kernel gives both names for this file, with " (deleted)" if it is gone. */
		if (executed ? strcmp(m.path, exe) : !is_of_library(pid, &m, &library))
			continue;
		*bias = m.start + (file_off - m.file_off) - vaddr;
		err = 0;
	}
	mappings_close(&maps);
	return err;
}

bool target_has_mapped(pid_t pid, uint64_t from, uint64_t to)
{
	struct mappings maps;
	struct mapping m;
	bool any = false;

	if (mappings_open(&maps, pid))
		return false;
	while (!any && mappings_next(&maps, &m))
		any = m.start < to && m.end > from;
	mappings_close(&maps);
	return any;
}

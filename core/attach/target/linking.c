// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/linking.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/host/regs.h"
#include "attach/target/mappings.h"
#include "attach/target/ptrace.h"
#include "base/clock.h"

#define PATIENCE_NS 2000000000ull
#define PAUSE_NS    100000

/* Stops, as in ptrace(2): the signal, and what makes it one. */
#define STOP_SIGNAL(stop) ((stop)&0x7f)
#define STOP_SYSCALL      (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

struct linking {
	const struct inject *in;
	uint64_t start, end; /* the linker's code */
	bool maps_code;      /* in the system call that the process is in */
	int signal;          /* to be delivered as it is let go */
	void (*mapped)(void *ctx, pid_t pid);
	void *ctx;
};

static bool has_linker(pid_t pid)
{
	bool found = false;
	Elf64_auxv_t v;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && !found && read(fd, &v, sizeof(v)) == sizeof(v) && v.a_type != AT_NULL)
		found = v.a_type == AT_BASE && v.a_un.a_val;
	if (fd >= 0)
		close(fd);
	return found;
}

/* What is mapped executable around pc. */
static int find_code(pid_t pid, uint64_t pc, struct linking *l)
{
	struct mappings maps;
	struct mapping m;
	int err = mappings_open(&maps, pid);

	if (err)
		return err;
	err = -ENOENT;
	while (err && mappings_next(&maps, &m)) {
		if (!m.executable || pc < m.start || pc >= m.end)
			continue;
		l->start = m.start;
		l->end = m.end;
		err = 0;
	}
	mappings_close(&maps);
	return err;
}

/* The next stop, or 0: it has not come by until_ns; -ECHILD: the process has ended. */
static int next_stop(const struct inject *in, uint64_t until_ns)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	for (;;) {
		pid_t got = waitpid(in->pid, in->wait_status, __WALL | WNOHANG);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			return WIFSTOPPED(*in->wait_status) ? *in->wait_status >> 8 : -ECHILD;
		if (clock_monotonic_ns() >= until_ns)
			return 0;
		nanosleep(&pause, NULL);
	}
}

/* At the beginning or the end of a system call. True: it goes on linking. */
static bool take_syscall(struct linking *l)
{
	struct __ptrace_syscall_info info; /* PTRACE_GET_SYSCALL_INFO: 201766a20e30, Linux 5.3 */

	if (ptrace(PTRACE_GET_SYSCALL_INFO, l->in->pid, (void *)sizeof(info), &info) <= 0)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		l->maps_code = info.entry.nr == SYS_mmap && info.entry.args[2] & PROT_EXEC;
		return info.instruction_pointer >= l->start && info.instruction_pointer < l->end &&
		       host_is_linkers_call(info.entry.nr);
	}
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && l->maps_code)
		l->mapped(l->ctx, l->in->pid);
	return true;
}

/* 0: it has begun with something else than linking, and is held still, as it is with all errors but
 * -ECHILD. */
static int watch(struct linking *l)
{
	uint64_t until = clock_monotonic_ns() + PATIENCE_NS;
	int request = PTRACE_SYSCALL, with = 0, err;
	const pid_t pid = l->in->pid;

	while (!(err = ptrace_do(request, pid, 0, (uintptr_t)with))) {
		int stop = next_stop(l->in, until);

		if (!stop) {
			err = ptrace_do(PTRACE_INTERRUPT, pid, 0, 0);
			stop = err ? err : next_stop(l->in, UINT64_MAX);
			if (stop > 0 && !(stop >> 8) && stop != STOP_SYSCALL)
				l->signal = stop;
			return stop < 0 ? stop : -ETIMEDOUT;
		}
		if (stop < 0)
			return stop;
		request = PTRACE_SYSCALL;
		with = 0;
		if (stop == STOP_SYSCALL) {
			if (!take_syscall(l))
				return 0;
		} else if (stop >> 8 == PTRACE_EVENT_EXEC) {
			return -ENOEXEC;
		} else if (stop >> 8 == PTRACE_EVENT_STOP) {
			if (STOP_SIGNAL(stop) != SIGTRAP) /* it is stopped, and stays so */
				request = PTRACE_LISTEN;
		} else if (!(stop >> 8)) {
			with = stop; /* a signal */
		}
	}
	return err;
}

int linking_pass(struct inject *in, void (*mapped)(void *ctx, pid_t pid), void *ctx)
{
	struct linking l = { .in = in, .mapped = mapped, .ctx = ctx };

	mapped(ctx, in->pid);
	if (!has_linker(in->pid))
		return inject_end(in);
	int err = in->stop_sent ? -ENOTSUP : find_code(in->pid, host_regs_pc(&in->regs), &l);

	/* From here on it runs code of its own, and must outlive us: not PTRACE_O_EXITKILL. */
	if (!err)
		err = ptrace_do(PTRACE_SETOPTIONS, in->pid, 0,
				PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD);
	if (!err)
		err = inject_put_back(in);
	if (err) {
		inject_end(in);
		return err;
	}
	err = watch(&l);
	if (err == -ECHILD)
		return err;
	ptrace_must(PTRACE_DETACH, in->pid, 0, (uintptr_t)l.signal);
	return err;
}

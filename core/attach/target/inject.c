// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/inject.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "attach/target/ptrace.h"

int inject_seize(pid_t pid)
{
	return ptrace_do(PTRACE_SEIZE, pid, 0,
			 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
}

/* The next stop: its status, or -ECHILD with *in->wait_status set when it ended. */
static int next_stop(struct inject *in)
{
	pid_t got;

	do
		got = waitpid(in->pid, in->wait_status, __WALL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	return WIFSTOPPED(*in->wait_status) ? *in->wait_status >> 8 : -ECHILD;
}

#define PTRACE_STOP_EXEC    (SIGTRAP | PTRACE_EVENT_EXEC << 8)
#define PTRACE_STOP_SYSCALL (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

/* Resumes by `request` until the stop `wanted`. All signals are blocked but SIGSTOP, which cannot
 * be: it is swallowed here and sent again at the end. */
static int go_on(struct inject *in, int request, int wanted)
{
	for (;;) {
		int err = ptrace_do(request, in->pid, 0, 0);
		int stop = err ? err : next_stop(in);

		if (stop < 0 || stop == wanted)
			return stop < 0 ? stop : 0;
		if (stop == SIGSTOP)
			in->stop_sent = true;
	}
}

int inject_wait_exec(struct inject *in, pid_t pid, int *wait_status)
{
	static const uint64_t all = ~0ull;
	int stop, err;

	*in = (struct inject){ .pid = pid, .wait_status = wait_status };
	while ((stop = next_stop(in)) != PTRACE_STOP_EXEC) {
		if (stop < 0)
			return stop;
		/* A group-stop lasts until SIGCONT, which is reported as a stop by SIGTRAP. */
		if (stop >> 8 == PTRACE_EVENT_STOP)
			ptrace_do((stop & 0x7f) == SIGTRAP ? PTRACE_CONT : PTRACE_LISTEN, pid, 0,
				  0);
		else
			ptrace_do(PTRACE_CONT, pid, 0, stop & 0x7f);
	}
	/* Kernels write execve's result into the registers after this stop: go on to where it
	 * returns. */
	err = ptrace_do(PTRACE_GETSIGMASK, pid, sizeof(in->signals), (uintptr_t)&in->signals);
	if (!err)
		err = ptrace_do(PTRACE_SETSIGMASK, pid, sizeof(all), (uintptr_t)&all);
	in->masked = !err;
	if (!err)
		err = go_on(in, PTRACE_SYSCALL, PTRACE_STOP_SYSCALL);
	return err ? err : host_regs_get(pid, &in->regs);
}

int inject_syscall(struct inject *in, uint64_t at, const uint64_t args[7], int64_t *result)
{
	struct host_regs r = in->regs;

	host_regs_call(&r, at, args);
	int err = host_regs_set(in->pid, &r);
	if (!err)
		err = go_on(in, PTRACE_SYSCALL, PTRACE_STOP_SYSCALL); /* enters */
	if (!err)
		err = go_on(in, PTRACE_SYSCALL, PTRACE_STOP_SYSCALL); /* leaves */
	if (!err)
		err = host_regs_get(in->pid, &r);
	if (!err)
		*result = host_regs_result(&r);
	return err;
}

int inject_syscall_at_start(struct inject *in, const uint64_t args[7], int64_t *result)
{
	const uint64_t at = host_regs_pc(&in->regs);
	long was;

	errno = 0;
	was = ptrace(PTRACE_PEEKTEXT, in->pid, (void *)(uintptr_t)at, NULL);
	if (errno)
		return -errno;
	int err = ptrace_do(PTRACE_POKETEXT, in->pid, at, host_call_in_word((uint64_t)was));
	if (err)
		return err;
	err = inject_syscall(in, at, args, result);
	int back = ptrace_must(PTRACE_POKETEXT, in->pid, at, (uintptr_t)was);
	return err ? err : back;
}

void inject_let_go(const struct inject *in)
{
	if (in->masked)
		ptrace_must(PTRACE_SETSIGMASK, in->pid, sizeof(in->signals),
			    (uintptr_t)&in->signals);
	ptrace_must(PTRACE_DETACH, in->pid, 0, 0);
}

/* Whether a SIGCONT is pending. It came after the last SIGSTOP, which would have removed it. */
static bool continued(pid_t pid)
{
	struct __ptrace_peeksiginfo_args ask = { .flags = PTRACE_PEEKSIGINFO_SHARED, .nr = 1 };
	siginfo_t info;

	for (; ptrace(PTRACE_PEEKSIGINFO, pid, &ask, &info) == 1; ask.off++)
		if (info.si_signo == SIGCONT)
			return true;
	return false;
}

int inject_put_back(const struct inject *in)
{
	int err = host_regs_put_back(in->pid, &in->regs);
	int masked = ptrace_must(PTRACE_SETSIGMASK, in->pid, sizeof(in->signals),
				 (uintptr_t)&in->signals);

	return err ? err : masked;
}

int inject_end(struct inject *in)
{
	bool stop = in->stop_sent && !continued(in->pid);
	int err = inject_put_back(in);
	int gone = ptrace_must(PTRACE_DETACH, in->pid, 0, 0);

	if (stop)
		kill(in->pid, SIGSTOP);
	return err ? err : gone;
}

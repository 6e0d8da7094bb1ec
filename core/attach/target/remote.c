// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/target/ptrace.h"

#define PUT_BACK_TRIES      5
#define PTRACE_STOP_SYSCALL (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

/* To the next beginning or end of a system call. Signals are blocked but for SIGSTOP. */
static int to_syscall_stop(struct remote *r)
{
	for (;;) {
		int status, err = ptrace_do(PTRACE_SYSCALL, r->tid, 0, 0);
		pid_t got;

		if (err)
			return err;
		do
			got = waitpid(r->tid, &status, __WALL);
		while (got < 0 && errno == EINTR);
		if (got < 0 || !WIFSTOPPED(status))
			return -ESRCH;
		if (status >> 8 == PTRACE_STOP_SYSCALL)
			return 0;
		if (status >> 8 == SIGSTOP)
			r->stop_sent = true;
	}
}

/* The thread's own file: a kernel with PROC_MEM_FORCE_PTRACE (Linux 6.12) lets text be written only
 * through that of a thread which the writer traces. */
static int open_mem(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", pid, tid);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int remote_begin(struct remote *r, pid_t pid, pid_t tid, uint64_t at)
{
	*r = (struct remote){ .tid = tid, .mem_fd = open_mem(pid, tid), .at = at };
	if (r->mem_fd < 0)
		return r->mem_fd;
	int err = host_regs_get(tid, &r->state.regs);

	if (!err)
		err = ptrace_do(PTRACE_GETSIGMASK, tid, sizeof(r->state.signals),
				(uintptr_t)&r->state.signals);
	if (!err && !host_regs_64_bit(&r->state.regs))
		err = -ENOTSUP;
	if (!err && pread(r->mem_fd, r->was, sizeof(r->was), (off_t)at) != sizeof(r->was))
		err = -EIO;
	if (err)
		close(r->mem_fd);
	host_regs_rewind_call(&r->state.regs);
	return err;
}

/* The first failure counts: what follows may fail because of it. */
static int failed(struct remote *r, int err, const char *at_what)
{
	if (err && !r->err) {
		r->err = err;
		r->at_what = at_what;
	}
	return r->err;
}

static int write_code(const struct remote *r, const uint64_t args[7], const char *text)
{
	uint8_t code[REMOTE_CODE_BYTES];

	remote_code_write(&r->state, r->at, args, text, code);
	ssize_t n = pwrite(r->mem_fd, code, sizeof(code), (off_t)r->at);
	return n == sizeof(code) ? 0 : n < 0 ? -errno : -EIO;
}

int remote_call(struct remote *r, const uint64_t args[7], const char *text, int64_t *result)
{
	static const uint64_t all = ~0ull;
	struct host_regs regs = r->state.regs;

	if (r->err || failed(r, write_code(r, args, text), "its text cannot be written"))
		return r->err;
	host_regs_go_to(&regs, r->at);
	/* In this order, and back in the other: the code undoes whatever has been done. */
	failed(r, host_regs_set(r->tid, &regs), "its registers cannot be set");
	if (!r->err)
		failed(r, ptrace_do(PTRACE_SETSIGMASK, r->tid, sizeof(all), (uintptr_t)&all),
		       "its signals cannot be blocked");
	if (!r->err)
		failed(r, to_syscall_stop(r), "it does not get to the call");
	if (!r->err)
		failed(r, to_syscall_stop(r), "it does not come back from the call");
	if (!r->err)
		failed(r, host_regs_get(r->tid, &regs), "the result of the call cannot be read");
	if (!r->err)
		*result = host_regs_result(&regs);
	failed(r,
	       ptrace_must(PTRACE_SETSIGMASK, r->tid, sizeof(r->state.signals),
			   (uintptr_t)&r->state.signals),
	       "its signals cannot be unblocked");
	return failed(r, host_regs_put_back(r->tid, &r->state.regs),
		      "its registers cannot be put back");
}

int remote_end(struct remote *r)
{
	bool back = false;

	for (int i = 0; i < PUT_BACK_TRIES && !back; i++)
		back = pwrite(r->mem_fd, r->was, sizeof(r->was), (off_t)r->at) == sizeof(r->was);
	close(r->mem_fd);
	return back ? 0 : -EIO;
}

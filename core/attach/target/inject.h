/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a child of gotrace make system calls. ptrace holds the child at its exec, before its first
 * instruction. */
#ifndef GOTRACE_INJECT_H
#define GOTRACE_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/host/regs.h"

struct inject {
	pid_t pid;
	struct host_regs regs; /* those that the new image began with */
	uint64_t signals;      /* mask of its blocked signals */
	bool masked;           /* it blocks all signals now */
	bool stop_sent;        /* a SIGSTOP came meanwhile; it must be sent again */
	int *wait_status;      /* set when the process ends */
};

/*
 * Traces `pid`, a child that has not executed yet. If gotrace dies before inject_end, so does the
 * child, because it may be in the middle of an injected system call. Returns 0 or -errno. -EPERM:
 * another program traces it, or a security policy forbids it.
 */
int inject_seize(pid_t pid);

/*
 * Waits until the seized process has executed its new image. Earlier signals are delivered. Returns
 * 0: the process is stopped and *in is ready. Returns -ECHILD: it ended first, see *wait_status.
 * The thread that seized must call this and all following functions.
 */
int inject_wait_exec(struct inject *in, pid_t pid, int *wait_status);

/*
 * Makes the process execute the instruction `syscall` at address `at`. args: the number and six
 * arguments. *result is the kernel's result, which may be -errno. Returns 0, -ECHILD (the process
 * ended), or -errno of ptrace.
 */
int inject_syscall(struct inject *in, uint64_t at, const uint64_t args[7], int64_t *result);

/*
 * Makes a system call if no address of an instruction `syscall` is known. It writes one to the
 * start address of the process and removes it afterwards. The result is that of inject_syscall.
 */
int inject_syscall_at_start(struct inject *in, const uint64_t args[7], int64_t *result);

/* Lets the process continue after inject_wait_exec failed. */
void inject_let_go(const struct inject *in);

/* Restores its registers and signals of the exec. The process stays stopped. Returns 0 or -errno.
 */
int inject_put_back(const struct inject *in);

/* Restores its registers and signals of the exec, and lets the process continue. Returns 0 or
 * -errno. */
int inject_end(struct inject *in);

#endif

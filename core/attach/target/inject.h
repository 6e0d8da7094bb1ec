/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a child of ours make system calls, while ptrace holds it at its exec, before its first
 * instruction. */
#ifndef GOTRACE_INJECT_H
#define GOTRACE_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct inject {
	pid_t pid;
	/* struct user_regs_struct, as the kernel set it for the new image */
	uint64_t regs[27];
	uint64_t signals; /* mask of the signals that it blocks */
	bool masked;      /* now it blocks all */
	bool stop_sent;   /* a SIGSTOP came meanwhile and is to be sent again */
	int *wait_status; /* filled when the process ends */
};

/*
 * Traces `pid`, a child that has yet to exec. If this process dies before inject_end, so does the
 * child, which may be in the middle of an injected system call.
 * 0 or -errno: -EPERM when something else traces it, or a security policy forbids it.
 */
int inject_seize(pid_t pid);

/*
 * Waits until the seized process has executed its new image; signals that come before are
 * delivered. 0: it is stopped and *in is ready; -ECHILD: it ended first, see *wait_status.
 * This and all that follows must be called by the thread that seized.
 */
int inject_wait_exec(struct inject *in, pid_t pid, int *wait_status);

/*
 * Makes the process execute the instruction `syscall` at address `at`. args: the number and six
 * arguments. *result is what the kernel returns, -errno included. 0, -ECHILD (it ended), -errno of
 * ptrace.
 */
int inject_syscall(struct inject *in, uint64_t at, const uint64_t args[7], int64_t *result);

/*
 * The same where no such instruction is known: one is written to the address where the process
 * starts, and removed again.
 */
int inject_syscall_at_start(struct inject *in, const uint64_t args[7], int64_t *result);

/* Lets the process go after inject_wait_exec failed. */
void inject_let_go(const struct inject *in);

/* Its registers and signals are as they were at the exec; it is held still. 0 or -errno. */
int inject_put_back(const struct inject *in);

/* Lets the process go, its registers and signals as they were at the exec. 0 or -errno. */
int inject_end(struct inject *in);

#endif

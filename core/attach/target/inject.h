/* SPDX-License-Identifier: BSD-2-Clause */
/* A process of ours stopped at its exec by ptrace, before its first instruction: system calls in
 * its name. */
#ifndef GOTRACE_INJECT_H
#define GOTRACE_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct inject {
	pid_t pid;
	/* struct user_regs_struct, as the kernel set it for the new image */
	uint64_t regs[27];
	uint64_t signals; /* that were blocked */
	bool masked;      /* now all are */
	bool stop_sent;   /* a SIGSTOP came meanwhile and is to be sent again */
	int *wait_status; /* filled when the process ends */
};

/*
 * Traces `pid`, a child that has yet to exec. Should this process die before inject_end, the
 * child dies too: it may stand in the middle of a system call that is not its own.
 * 0 or -errno: -EPERM when something else traces it, or a security policy forbids it.
 */
int inject_seize(pid_t pid);

/*
 * Waits until the seized process has executed its new image, handing on signals that come
 * before. 0: it stands there and *in is ready; -ECHILD: it ended first, *wait_status says how.
 * All calls from the thread that seized.
 */
int inject_wait_exec(struct inject *in, pid_t pid, int *wait_status);

/*
 * Has the process make a system call, by the instruction `syscall` at address `at`. Its
 * result, -errno as the kernel returns it, in *result. 0, -ECHILD (it ended), -errno of ptrace.
 */
int inject_syscall(struct inject *in, uint64_t at, const uint64_t args[7], int64_t *result);

/*
 * The same where no such instruction is known: it is written to where the process starts, and
 * what stood there is put back.
 */
int inject_syscall_at_start(struct inject *in, const uint64_t args[7], int64_t *result);

/* Lets a process go in which nothing could be injected: inject_wait_exec failed. */
void inject_let_go(const struct inject *in);

/* Lets the process go as if nothing had been. 0 or -errno. */
int inject_end(struct inject *in);

#endif

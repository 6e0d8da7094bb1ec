/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a thread of a running process make system calls, while ptrace holds it. If gotrace dies at
 * any time, the thread continues undisturbed (remote_code.h). At most the one call in progress is
 * still made.
 */
#ifndef GOTRACE_REMOTE_H
#define GOTRACE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/host/remote_code.h"

struct remote {
	pid_t tid;
	int mem_fd;                     /* /proc/PID/task/TID/mem */
	uint64_t at;                    /* address of gotrace's code */
	uint8_t was[REMOTE_CODE_BYTES]; /* the original bytes there */
	struct remote_state state;
	bool stop_sent; /* a SIGSTOP came meanwhile; it must be sent again */
	/* -errno of a call that could not be made. After it, this thread makes none. */
	int err;
	const char *at_what; /* the failed step, a clause */
};

/*
 * Begins with thread `tid` of process `pid`, which is stopped (threads.h). `at` is the address of
 * REMOTE_CODE_BYTES of text that never run any more. Returns 0, or -errno; then the caller need not
 * call remote_end. -ENOTSUP: the thread runs 32-bit code.
 */
int remote_begin(struct remote *r, pid_t pid, pid_t tid, uint64_t at);

/*
 * Makes a system call. args: number and six arguments. `text`: NULL, or a string shorter than
 * REMOTE_TEXT_MAX that becomes the first argument. *result is the kernel's result, which may be
 * -errno. Returns 0, or r->err: -ESRCH (the thread ended), or -errno of ptrace or of writing its
 * text. Afterwards the thread is stopped and has its own registers.
 */
int remote_call(struct remote *r, const uint64_t args[7], const char *text, int64_t *result);

/* Puts the original text back. The thread stays stopped. Returns 0 or -errno. *r is no longer valid
 * in both cases. */
int remote_end(struct remote *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a thread of a running process make system calls, while ptrace holds it. Whenever this
 * process dies, the thread goes on as if nothing had been (remote_code.h); at most the one call in
 * progress is still made.
 */
#ifndef GOTRACE_REMOTE_H
#define GOTRACE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target/remote_code.h"

struct remote {
	pid_t tid;
	int mem_fd;                     /* /proc/PID/task/TID/mem */
	uint64_t at;                    /* where its code is put */
	uint8_t was[REMOTE_CODE_BYTES]; /* what was there */
	struct remote_state state;
	bool stop_sent; /* a SIGSTOP came meanwhile and is to be sent again */
	int err;        /* why a call could not be made, -errno: this thread makes none any more */
	const char *at_what; /* a clause: the step that failed */
};

/*
 * With thread `tid` of process `pid` stopped (threads.h): `at` is the address of REMOTE_CODE_BYTES
 * of text that never runs any more. 0, or -errno and nothing is to be ended: -ENOTSUP for a thread
 * that runs 32-bit code.
 */
int remote_begin(struct remote *r, pid_t pid, pid_t tid, uint64_t at);

/*
 * args: number and six arguments; `text`, when not NULL, a string shorter than REMOTE_TEXT_MAX that
 * is to be the first of them. *result is what the kernel returns, -errno included. 0, or r->err:
 * -ESRCH (the thread ended), -errno of ptrace or of writing its text. The thread is stopped again,
 * its registers are its own.
 */
int remote_call(struct remote *r, const uint64_t args[7], const char *text, int64_t *result);

/* Puts the text back. The thread stays stopped. 0 or -errno; *r is over in both cases. */
int remote_end(struct remote *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread of a running process that makes system calls for gotrace. Private to running*.c. */
#ifndef GOTRACE_RUNNING_MAP_H
#define GOTRACE_RUNNING_MAP_H

#include "attach/target/remote.h"
#include "attach/target/running.h"
#include "attach/target/threads.h"

/* Begins with thread `tid`, which is stopped. Returns 0 or -errno. */
int running_remote_begin(const struct running *r, struct remote *remote, pid_t tid);
/* Prepares the next stopped thread, from *i on, that can make calls, and sets *i behind it. Returns
 * false if there are no more. */
bool running_remote_next(const struct running *r, struct remote *remote, const struct threads *t,
			 size_t *i);
/* A function for struct process_calls; ctx is the struct remote. */
int running_remote_call(void *ctx, const uint64_t args[7], int64_t *result);
void running_remote_end(struct running *r, struct remote *remote);

#endif

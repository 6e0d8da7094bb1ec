/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread of a running process that makes system calls for this one. Private to running*.c. */
#ifndef GOTRACE_RUNNING_MAP_H
#define GOTRACE_RUNNING_MAP_H

#include "attach/target/remote.h"
#include "attach/target/running.h"
#include "attach/target/threads.h"

/* With thread `tid` stopped. 0 or -errno. */
int running_remote_begin(const struct running *r, struct remote *remote, pid_t tid);
/* From *i on the next stopped thread that can be made to do something, prepared; *i is behind it.
 * False: there is none any more. */
bool running_remote_next(const struct running *r, struct remote *remote, const struct threads *t,
			 size_t *i);
/* As struct process_calls has it; ctx is the struct remote. */
int running_remote_call(void *ctx, const uint64_t args[7], int64_t *result);
void running_remote_end(struct running *r, struct remote *remote);

#endif

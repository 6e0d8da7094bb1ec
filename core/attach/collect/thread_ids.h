/* SPDX-License-Identifier: BSD-2-Clause */
/* Thread numbers of a process in another pid namespace, converted to gotrace's. */
#ifndef GOTRACE_THREAD_IDS_H
#define GOTRACE_THREAD_IDS_H

#include <stdint.h>

struct thread_ids;

/* For the process `pid`, in gotrace's numbering. NULL and errno without memory. */
struct thread_ids *thread_ids_new(int pid);
/*
 * `ctx` is a struct thread_ids. The number of the thread that has `own` in the innermost pid
 * namespace of the process: the same when that is gotrace's. A thread that was never seen and is
 * gone keeps its own number. Reads /proc when it meets a number for the first time.
 */
uint32_t thread_ids_find(void *ctx, uint32_t own);
void thread_ids_free(struct thread_ids *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Thread numbers of a process in another pid namespace, converted to gotrace's. */
#ifndef GOTRACE_THREAD_IDS_H
#define GOTRACE_THREAD_IDS_H

#include <stdint.h>

struct thread_ids;

/* For the process `pid`, in gotrace's numbering. Returns NULL and sets errno without memory. */
struct thread_ids *thread_ids_new(int pid);
/*
 * `ctx` is a struct thread_ids. Returns gotrace's number of the thread with number `own` in the
 * innermost pid namespace of the process. Both are equal if that namespace is gotrace's. An unknown
 * thread that is gone keeps its own number. The function reads /proc for each new number.
 */
uint32_t thread_ids_find(void *ctx, uint32_t own);
void thread_ids_free(struct thread_ids *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_URGENT_THREADS_H
#define GOTRACE_URGENT_THREADS_H

#include <stdbool.h>

/* Threads that `start` makes take no signals and get a higher priority, where that is allowed: they
 * have the same to do whenever they get to do it; late, and rings are full meanwhile. Returns what
 * start does. */
int urgent_threads(int (*start)(void *ctx), void *ctx);

/* Is there but one CPU for all of them? */
bool urgent_threads_alone(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_URGENT_THREADS_H
#define GOTRACE_URGENT_THREADS_H

#include <stdbool.h>

/* Calls start, and returns its result. Threads that it makes take no signals, and get a higher
 * priority where that is allowed. Their amount of work does not depend on when they run, but if
 * they run late, rings are full meanwhile. */
int urgent_threads(int (*start)(void *ctx), void *ctx);

/* Returns true if all of them share a single CPU. */
bool urgent_threads_alone(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures the cost of an inline stub on this machine by executing one. */
#ifndef GOTRACE_INLINE_BENCH_H
#define GOTRACE_INLINE_BENCH_H

#include <stdint.h>

/* Returns the nanoseconds of an event of a stub whose ring is not full. The stub runs in a loop
 * with all its memory in the cache. It takes some 5 ms if no value is stored (measurement_cache.h).
 * Returns 0 if it cannot measure here. */
uint64_t inline_event_ns(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What an inline stub costs on this machine: one of ours is executed. */
#ifndef GOTRACE_INLINE_BENCH_H
#define GOTRACE_INLINE_BENCH_H

#include <stdint.h>

/* Nanoseconds that an event costs which a stub writes into a ring that is not full, in a loop, all
 * its memory in the cache; takes some 5 ms where it is not kept from before (measurement_cache.h).
 * 0: it cannot be measured here. */
uint64_t inline_event_ns(void);

#endif

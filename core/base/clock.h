/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_CLOCK_H
#define GOTRACE_CLOCK_H

#include <stdint.h>

/*
 * Returns the time of the events' clock, that of bpf_ktime_get_ns(). It is CLOCK_MONOTONIC outside
 * of all time namespaces. In a namespace whose clock has an offset (unshare --time), the offset is
 * subtracted.
 */
uint64_t clock_monotonic_ns(void);

/* Returns the time since 1970. */
uint64_t clock_realtime_ns(void);

/* Returns CLOCK_BOOTTIME, which cannot be set and goes on in a suspend. */
uint64_t clock_boottime_ns(void);

/* Returns the processor time of this process so far, user and system, of all its threads; 0 when
 * not known. */
uint64_t clock_own_cpu_ns(void);

#endif

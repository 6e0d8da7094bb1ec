/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_CLOCK_H
#define GOTRACE_CLOCK_H

#include <stdint.h>

/*
 * The clock of events: what bpf_ktime_get_ns() returns, which is CLOCK_MONOTONIC outside of all
 * time namespaces. In one whose clock has an offset (unshare --time) it is taken off.
 */
uint64_t clock_monotonic_ns(void);

/* Since 1970. */
uint64_t clock_realtime_ns(void);

/* CLOCK_BOOTTIME: nobody sets it, and it goes on in a suspend. */
uint64_t clock_boottime_ns(void);

/* Processor time of this process so far, all its threads, user and system; 0: not known. */
uint64_t clock_own_cpu_ns(void);

#endif

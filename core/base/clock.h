/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_CLOCK_H
#define GOTRACE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The clock of events: bpf_ktime_get_ns() reads the same one. */
static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The time stamp counter of this machine. Checks whether events may have times of it, and reads it.
 */
#ifndef GOTRACE_TSC_SOURCE_H
#define GOTRACE_TSC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rings/tsc_clock.h"

/* Reads both clocks at one moment. It takes the closest of four tries. */
struct tsc_pair tsc_source_pair(void);

/* The result of a check. */
struct tsc_check {
	bool usable;
	bool unchecked;     /* GOTRACE_CLOCK_UNCHECKED=1: usable in any case; tests only */
	uint32_t spread_ns; /* largest distance of a CPU's counter from the first CPU's */
	uint32_t read_ns;   /* time that reading it takes */
	char why[160];      /* reason why it is not usable, a clause */
};

/*
 * Checks whether counters of any CPU can become CLOCK_MONOTONIC of BPF programs. The counter must
 * be the kernel's clock source. It must never change its rate or stop. Reading it must be allowed
 * and must not trap. All CPUs must have the same value; threads on each CPU measure this. The check
 * takes some milliseconds.
 */
struct tsc_check tsc_source_check(void);

#endif

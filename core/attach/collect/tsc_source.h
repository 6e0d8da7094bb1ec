/* SPDX-License-Identifier: BSD-2-Clause */
/* The time stamp counter of this machine: whether events may be stamped with it, and reading it. */
#ifndef GOTRACE_TSC_SOURCE_H
#define GOTRACE_TSC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rings/tsc_clock.h"

static inline uint64_t tsc_read(void)
{
	uint32_t lo, hi;

	/* Executes after all earlier loads. */
	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

/* Reads both clocks at one moment: the tightest of four tries. */
struct tsc_pair tsc_source_pair(void);

/* What a check found. */
struct tsc_check {
	bool usable;
	bool unchecked;     /* GOTRACE_CLOCK_UNCHECKED=1: usable whatever it is, for tests only */
	uint32_t spread_ns; /* largest distance of a CPU's counter from the first CPU's */
	uint32_t read_ns;   /* time that reading it takes */
	char why[160];      /* why it is not usable, a clause */
};

/*
 * Whether counters read on any CPU can be turned into CLOCK_MONOTONIC as BPF programs have it:
 * the kernel's clock source, a counter that neither changes its rate nor stops, reading that is
 * allowed and not trapped, and the same value on all CPUs, measured by threads pinned to them.
 * Takes some milliseconds.
 */
struct tsc_check tsc_source_check(void);

#endif

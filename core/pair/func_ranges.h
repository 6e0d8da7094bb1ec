/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the function of an address, by link-time addresses of a trace's functions. */
#ifndef GOTRACE_FUNC_RANGES_H
#define GOTRACE_FUNC_RANGES_H

#include "trace/trace.h"

/* A zeroed one has no functions. */
struct func_ranges {
	struct func_range {
		uint64_t vaddr;
		uint32_t size, func;
	} * of; /* by vaddr */
	size_t n;
};

/* Takes all functions of info with a known place. Returns 0 or -ENOMEM. The caller calls
 * func_ranges_free in either case. */
int func_ranges_init(struct func_ranges *r, const struct trace_info *info);
/* Returns the index of the function that pc is in, TRACE_NONE when there is none. */
uint32_t func_ranges_find(const struct func_ranges *r, uint64_t pc);
void func_ranges_free(struct func_ranges *r);

#endif

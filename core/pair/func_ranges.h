/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function an address is in, by link-time addresses of a trace's functions. */
#ifndef GOTRACE_FUNC_RANGES_H
#define GOTRACE_FUNC_RANGES_H

#include "trace/trace.h"

/* Zeroed: knows none. */
struct func_ranges {
	struct func_range {
		uint64_t vaddr;
		uint32_t size, func;
	} * of; /* by vaddr */
	size_t n;
};

/* Takes all functions of info with a known place. 0 or -ENOMEM; func_ranges_free in either case. */
int func_ranges_init(struct func_ranges *r, const struct trace_info *info);
/* Index of the function that pc is in; TRACE_NONE: of none. */
uint32_t func_ranges_find(const struct func_ranges *r, uint64_t pc);
void func_ranges_free(struct func_ranges *r);

#endif

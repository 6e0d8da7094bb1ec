/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions to release so that probing stays below a share of the processor time. */
#ifndef GOTRACE_COST_LIMIT_H
#define GOTRACE_COST_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What probing took of some span of processor time, estimated. */
struct cost_span {
	uint64_t cpu_ns;
	uint64_t all_ns;         /* of all functions */
	const uint64_t *func_ns; /* by function; 0 for one that was released */
	size_t n_funcs;
};

/* Whether probes took more than max_share, above 0 and below 1, of the span. */
bool cost_limit_exceeded(uint64_t cpu_ns, uint64_t all_ns, double max_share);

/*
 * The dearest functions, dearest first, without which the rest would have stayed below max_share of
 * what the span would have been then, or at least below a tenth of what they took: indices in
 * `out`, of n_funcs. How many. *left_ns: what the rest took.
 */
size_t cost_limit_choose(const struct cost_span *s, double max_share, uint32_t *out,
			 uint64_t *left_ns);

#endif

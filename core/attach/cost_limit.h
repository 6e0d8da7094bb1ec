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

/*
 * What events were estimated to cost, at the cost of each that was measured before the program
 * started, and what probing took by samples of the program's processor time. Sums.
 */
struct cost_seen {
	double cpu_ns, estimated_ns;
	double sampled_ns, sampled_probe_ns; /* what samples stand for, and those in probes */
	double own_ns; /* what gotrace itself took of it, where no processor was free */
	uint64_t n_probes;
};

/* By how much estimates are to be multiplied, COST_SEEN_DEAREST at most: what samples see beyond
 * that has other causes. Without enough samples in probes: `before`, but no more than makes the
 * estimate all of the processor time. */
double cost_seen_scale(const struct cost_seen *s, double before);
#define COST_SEEN_ENOUGH  25
#define COST_SEEN_DEAREST 10

/* What probes took by samples, as a share of cpu_ns, stubs of released functions included, gotrace
 * itself not; below 0: there are too few samples. */
double cost_seen_share(const struct cost_seen *s);

#endif

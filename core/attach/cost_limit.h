/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses functions to release so that probing stays below a share of the processor time. */
#ifndef GOTRACE_COST_LIMIT_H
#define GOTRACE_COST_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Estimated times of probes in a span of processor time. */
struct cost_span {
	uint64_t cpu_ns;
	uint64_t all_ns;         /* time of all functions' probes */
	const uint64_t *func_ns; /* by function; 0 for one that was released */
	size_t n_funcs;
};

/* Returns true if probes took more than max_share of the span. max_share is above 0 and below 1. */
bool cost_limit_exceeded(uint64_t cpu_ns, uint64_t all_ns, double max_share);

/*
 * Chooses functions to release, the most expensive first. Without them the rest would have taken
 * less than max_share of the shorter span, or less than a tenth of what all took. Writes their
 * indices to `out`, which has room for n_funcs. Returns their number. Sets *left_ns to the time of
 * the rest.
 */
size_t cost_limit_choose(const struct cost_span *s, double max_share, uint32_t *out,
			 uint64_t *left_ns);

/*
 * Sums of estimates and of samples. Estimates multiply events by the cost of an event, measured
 * before the program started. Samples of the program's processor time show the time of probes.
 */
struct cost_seen {
	double cpu_ns, estimated_ns;
	double sampled_ns, sampled_probe_ns; /* time of all samples, and of those in probes */
	/* The part that gotrace itself took, where no processor was free. */
	double own_ns;
	uint64_t n_probes;
};

/* Returns a factor for estimates, COST_SEEN_DEAREST at most. A larger factor has other causes. If
 * samples in probes are too few, returns `before`, reduced so that the estimate is at most all of
 * the processor time. */
double cost_seen_scale(const struct cost_seen *s, double before);
#define COST_SEEN_ENOUGH  25
#define COST_SEEN_DEAREST 10

/* Returns the share of cpu_ns that samples show in probes. Stubs of released functions count,
 * gotrace itself does not. Returns a value below 0 if there are too few samples. */
double cost_seen_share(const struct cost_seen *s);

#endif

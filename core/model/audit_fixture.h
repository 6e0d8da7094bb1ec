/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that the engine's answers keep for any events. A sum by function equals the sum by path, by
 * goroutine and by call.
 */
#ifndef GOTRACE_AUDIT_FIXTURE_H
#define GOTRACE_AUDIT_FIXTURE_H

#include "model/model.h"

struct audit {
	bool in_order; /* times of events never go back (except EV_LOSS) */
	uint32_t n_funcs;
	uint64_t entries, calls, by_end[CALL_INFERRED + 1];
	uint64_t suspect_calls, suspect_ns;
	uint64_t stacks, goroutines, stack_calls, total_ns, self_ns, morestack_ns, preempt_ns;
	/* audit_weigh() of stop_times, of stacks */
	uint64_t stops_by_path, stops_by_stack, stack_stops;
	const char *fault; /* the first thing found wrong */
};

/* Adds up to the same for the same times of the same paths, or goroutines, in whatever pieces. */
static inline uint64_t audit_weigh(uint64_t id, uint64_t morestack_ns, uint64_t preempt_ns)
{
	uint64_t w = (id + 1) * 0x9e3779b97f4a7c15u;

	return (w ^ w >> 29) * morestack_ns + (w ^ w >> 31) * preempt_ns;
}

/* Callbacks that watch into *a, which must outlive the model. */
struct model_options audit_options(struct audit *a, const struct trace_info *info, bool in_order);
/* To be called after model_finish: NULL, or what is wrong. */
const char *audit_finish(struct audit *a, const struct model *m);

#endif

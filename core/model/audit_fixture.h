/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold of the engine's answers whatever it was fed: sums that are the
 * same by function, by path, by goroutine and by call.
 */
#ifndef GOTRACE_AUDIT_FIXTURE_H
#define GOTRACE_AUDIT_FIXTURE_H

#include "model/model.h"

struct audit {
	bool in_order;       /* no event's time lies before an earlier one's (EV_LOSS apart) */
	uint32_t n_funcs;
	uint64_t entries, calls, by_end[CALL_INFERRED + 1];
	uint64_t suspect_calls, suspect_ns;
	uint64_t stacks, goroutines, stack_calls, total_ns, self_ns, morestack_ns, preempt_ns;
	const char *fault;   /* the first thing found wrong */
};

/* Callbacks that watch into *a, which must outlive the model. */
struct model_options audit_options(struct audit *a, const struct trace_info *info, bool in_order);
/* To be called after model_finish: NULL, or what is wrong. */
const char *audit_finish(struct audit *a, const struct model *m);

#endif

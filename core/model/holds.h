/* SPDX-License-Identifier: BSD-2-Clause */
/* Who ended waits, who held locks that others waited for, and who ran without a recorded call. */
#ifndef GOTRACE_HOLDS_H
#define GOTRACE_HOLDS_H

#include "model/model.h"

/* Waits of one reason in the calls of a function that what is in `by` ended. */
struct func_wakes {
	uint32_t func; /* as it counts: a row of model_funcs */
	uint32_t reason;
	uint32_t by; /* a function, or WAKE_* but for WAKE_NONE */
	uint64_t ns, n;
	/* The reason for which the wakers had waited themselves meanwhile, by majority of time;
	 * via_ns: how much longer than for all else. Not in summaries. */
	uint32_t via;
	uint64_t via_ns;
};

/* Who ended waits, n of them, in no order; NULL: none. Without waits in prologues that were
 * stopped, and those of which no EV_WAKE tells how they ended. Needs model_options.wakes. After
 * model_finish. */
const struct func_wakes *model_wakes(const struct model *m, size_t *n);

/*
 * Calls that released a lock which others waited for, by the function whose calls waited. The trace
 * has no acquisition without a wait and no release without a waiter. So a hold counts from the
 * begin of its call, its last wait for a lock or its last release. It may have been shorter.
 */
struct hold {
	uint32_t func, reason; /* of the waits that a release ended */
	uint32_t by;           /* the function whose call released it */
	uint32_t did; /* the function of that call's callee which took most of it; `by`: none did */
	uint64_t n, ns;      /* how often, for how long altogether */
	uint64_t longest_ns; /* the longest of them */
	uint64_t did_ns;     /* of ns, that callee's time */
};

/* For model_holds. */
struct hold_rules {
	bool locks[REASON_PREEMPTED + 1]; /* by reason: it is a wait for a lock */
	/* by function: it only waits or releases for its caller, as those of package sync */
	const uint8_t *for_caller;
	size_t n_funcs;
};

/* Who held locks, n of them, in no order; NULL: none. Needs model_options.holds. After
 * model_finish. */
const struct hold *model_holds(const struct model *m, size_t *n);

/* How long goroutines without a recorded call ran, by what they began with; a part of
 * model_totals.idle_life_ns. */
#define IDLERS_MAX 32 /* kinds that are kept apart, those that ended first */
struct idlers {
	uint64_t start_pc, n, run_ns;
};
const struct idlers *model_idlers(const struct model *m, size_t *n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Who ended waits, who held locks that others waited for, and which goroutines ran without a
 * recorded call. */
#ifndef GOTRACE_HOLDS_H
#define GOTRACE_HOLDS_H

#include "model/model.h"

/* Waits of one reason in the calls of a function. The function or other waker in `by` ended
 * them. */
struct func_wakes {
	uint32_t func; /* a row of model_funcs */
	uint32_t reason;
	uint32_t by; /* a function, or WAKE_* but for WAKE_NONE */
	uint64_t ns, n;
	/* The reason for which the wakers had waited themselves meanwhile, by majority of time.
	 * via_ns: how much longer they waited for it than for all other reasons. Summaries do not
	 * have it. */
	uint32_t via;
	uint64_t via_ns;
};

/* Returns n rows on who ended waits, in no order; NULL when there are none. Waits in stopped
 * prologues are not in it, nor waits whose end no EV_WAKE reports. Needs model_options.wakes. To be
 * called after model_finish. */
const struct func_wakes *model_wakes(const struct model *m, size_t *n);

/*
 * Calls that released a lock which others waited for, by the function whose calls waited. The trace
 * has no acquisition without a wait and no release without a waiter. So a hold counts from the
 * begin of its call, from its last wait for a lock or from its last release. The true hold may have
 * been shorter.
 */
struct hold {
	uint32_t func, reason; /* function and reason of the waits that a release ended */
	uint32_t by;           /* the function whose call released it */
	/* the callee's function that took most of the hold; equal to `by`: no callee did */
	uint32_t did;
	uint64_t n, ns;      /* the number of holds and their sum */
	uint64_t longest_ns; /* the longest hold */
	uint64_t did_ns;     /* the part of ns that this callee took */
};

/* For model_holds. */
struct hold_rules {
	bool locks[REASON_PREEMPTED + 1]; /* by reason: whether it is a wait for a lock */
	/* by reason: one release ends all waits, as sync.(*RWMutex).Unlock does for readers
	 * (sync/rwmutex.go). Before Go 1.20 all locks have one reason, so each reader counts. */
	bool together[REASON_PREEMPTED + 1];
	/* by function: whether it only waits or releases for its caller, as functions of package
	 * sync do */
	const uint8_t *for_caller;
	size_t n_funcs;
};

/* Returns n rows on who held locks, in no order; NULL when there are none. Needs
 * model_options.holds. To be called after model_finish. */
const struct hold *model_holds(const struct model *m, size_t *n);

/* How long goroutines without a recorded call ran, by the function that they began with. It is a
 * part of model_totals.idle_life_ns. */
#define IDLERS_MAX 32 /* functions that are kept apart: the first ones whose goroutines ended */
struct idlers {
	uint64_t start_pc, n, run_ns;
};
const struct idlers *model_idlers(const struct model *m, size_t *n);

#endif

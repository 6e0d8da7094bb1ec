/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses functions to release if the user has not asked for traps. These are functions whose traps
 * slow the program down. Pure.
 */
#ifndef GOTRACE_TRAP_LIMIT_H
#define GOTRACE_TRAP_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/collect/release_events.h"

/* The highest share of one function's traps in the processor time, and of the remaining functions'
 * traps together. */
#define TRAP_LIMIT_ONE 0.05
#define TRAP_LIMIT_ALL 0.5
/* Traps are judged by a span that ends now. The next span begins after so much processor time, or
 * after so much time. */
#define TRAP_LIMIT_SPAN_NS 1000000000ull
#define TRAP_LIMIT_LAST_NS 1000000000ull
/* Traps that took less of a span are ignored. Nobody waits for them, and their counts stay
 * complete. */
#define TRAP_LIMIT_FELT_NS 50000000ull

struct trap_limit {
	size_t n_funcs;
	/* At the start of the span: the time, the processor time, and the time of each function's
	 * traps. */
	uint64_t begin_at_ns, begin_cpu_ns, *begin_ns;
	bool *chosen; /* by function: it was chosen, and is not chosen again */
	bool restart;
};

/* Returns 0 or -ENOMEM. The caller calls trap_limit_close in either case. */
int trap_limit_open(struct trap_limit *l, size_t n_funcs);
void trap_limit_close(struct trap_limit *l);

/* Begins a new span at the next call, because the times of traps are on another scale. That call
 * judges nothing. */
void trap_limit_restart(struct trap_limit *l);

/* Chooses functions to release now, the most expensive first. now_ns: CLOCK_MONOTONIC. cpu_ns:
 * processor time so far. trap_ns: estimated time of each function's traps in it. A function with
 * keep[function] is never released; keep NULL: any may be. Writes the functions and their time in
 * the span to `out`, which has room for n_funcs. Returns their number. */
size_t trap_limit_choose(struct trap_limit *l, uint64_t now_ns, uint64_t cpu_ns,
			 const uint64_t *trap_ns, const bool *keep, struct release *out);

#endif

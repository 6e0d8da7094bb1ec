/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions to release where nobody has asked for traps: those whose traps slow the program
 * down. Pure.
 */
#ifndef GOTRACE_TRAP_LIMIT_H
#define GOTRACE_TRAP_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/collect/release_events.h"

/* Traps of one function may take this share of the processor time, and those of all that are left
 * together this one. */
#define TRAP_LIMIT_ONE 0.05
#define TRAP_LIMIT_ALL 0.5
/* They are judged by a span that ends now: of so much processor time and so long at most. */
#define TRAP_LIMIT_SPAN_NS 1000000000ull
#define TRAP_LIMIT_LAST_NS 1000000000ull
/* Traps that took less of a span are let be: nobody waits for them, and counts stay whole. */
#define TRAP_LIMIT_FELT_NS 50000000ull

struct trap_limit {
	size_t n_funcs;
	/* where the span begins: when, processor time, and what traps of each function had taken */
	uint64_t begin_at_ns, begin_cpu_ns, *begin_ns;
	bool *chosen; /* by function: it was, and is not again */
	bool restart;
};

/* 0 or -ENOMEM; trap_limit_close in either case. */
int trap_limit_open(struct trap_limit *l, size_t n_funcs);
void trap_limit_close(struct trap_limit *l);

/* What traps took is another number from now on: the next call judges nothing, and begins a span.
 */
void trap_limit_restart(struct trap_limit *l);

/* now_ns: CLOCK_MONOTONIC; cpu_ns: processor time so far; trap_ns: what traps of each function took
 * of it, an estimate. A function with keep[function] is never released, keep NULL: any may be. How
 * many are to be released now, into `out` of n_funcs, the dearest first, with what they took of the
 * span. */
size_t trap_limit_choose(struct trap_limit *l, uint64_t now_ns, uint64_t cpu_ns,
			 const uint64_t *trap_ns, const bool *keep, struct release *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few calls that began first, or the heaviest few, of any number that are
 * handed in as they end: a report of thirty lines needs no list of all calls of
 * the trace.
 */
#ifndef GOTRACE_FIRSTCALLS_H
#define GOTRACE_FIRSTCALLS_H

#include "model/model.h"

/* What a call is sorted by, the largest first. */
typedef uint64_t (*call_weight_fn)(const struct call *c);

struct firstcalls {
	struct call *calls; /* a heap, the last in order on top; sorted by firstcalls_sort */
	size_t n, cap, most;
	/* NULL: in the order in which they began, as those of equal weight are */
	call_weight_fn weight;
};

/* Keeps c if it is among the first f->most in order. 0 or -ENOMEM. */
int firstcalls_put(struct firstcalls *f, const struct call *c);
/* Sorts what was kept; nothing may be put in after this. */
void firstcalls_sort(struct firstcalls *f);
/* Sorts any n calls where they are, with no other memory. */
void firstcalls_sort_all(struct call *calls, size_t n, call_weight_fn weight);
void firstcalls_free(struct firstcalls *f);

#endif

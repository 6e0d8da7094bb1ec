/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few calls that began first, or the heaviest few, of any number that are
 * handed in as they end: a report of thirty lines needs no list of all calls of
 * the trace.
 */
#ifndef GOTRACE_FIRST_CALLS_H
#define GOTRACE_FIRST_CALLS_H

#include "analysis/calls/kept_values.h"
#include "model/model.h"

/* What a call is sorted by, the largest first. */
typedef uint64_t (*call_weight_fn)(const struct call *c);

struct first_calls {
	struct call *calls; /* a heap, the last in order on top; sorted by first_calls_sort */
	size_t n, cap, most;
	/* NULL: in the order in which they began, as those of equal weight are */
	call_weight_fn weight;
	struct kept_values *values; /* where theirs are kept; NULL: nowhere. Borrowed */
};

/* Keeps c if it is among the first f->most in order. 0 or -errno. */
int first_calls_put(struct first_calls *f, const struct call *c);
/* Sorts what was kept; nothing may be put in after this. */
void first_calls_sort(struct first_calls *f);
/* Sorts any n calls where they are, with no other memory. */
void first_calls_sort_all(struct call *calls, size_t n, call_weight_fn weight);
void first_calls_free(struct first_calls *f);

#endif

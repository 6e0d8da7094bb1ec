/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the few calls that began first, or the heaviest few, of any number of calls. They are put
 * in when they end. So a report of thirty lines needs no list of all calls of the trace.
 */
#ifndef GOTRACE_FIRST_CALLS_H
#define GOTRACE_FIRST_CALLS_H

#include "analysis/calls/kept_values.h"
#include "model/model.h"

/* Returns the weight of a call. The heaviest calls come first. */
typedef uint64_t (*call_weight_fn)(const struct call *c);

struct first_calls {
	struct call *calls; /* a heap, the last in order on top; sorted by first_calls_sort */
	size_t n, cap, most;
	/* NULL: the order in which calls began, which is also that of equal weights */
	call_weight_fn weight;
	struct kept_values *values; /* store of their values, borrowed; NULL: values are dropped */
};

/* Keeps c if it is among the first f->most in order. 0 or -errno. */
int first_calls_put(struct first_calls *f, const struct call *c);
/* Sorts the kept calls; no call may be put in after this. */
void first_calls_sort(struct first_calls *f);
/* Sorts any n calls in place, without more memory. */
void first_calls_sort_all(struct call *calls, size_t n, call_weight_fn weight);
void first_calls_free(struct first_calls *f);

#endif

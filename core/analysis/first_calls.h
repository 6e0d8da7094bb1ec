/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few calls that began first, of any number that are handed in as they end:
 * a report of thirty lines needs no list of all calls of the trace.
 */
#ifndef GOTRACE_FIRSTCALLS_H
#define GOTRACE_FIRSTCALLS_H

#include "model/model.h"

struct firstcalls {
	struct call *calls; /* a heap, the one that began last on top; sorted by firstcalls_sort */
	size_t n, cap, most;
};

/* Keeps c if it is among the first f->most. 0 or -ENOMEM. */
int firstcalls_put(struct firstcalls *f, const struct call *c);
/* In the order in which they began; nothing may be put in behind this. */
void firstcalls_sort(struct firstcalls *f);
void firstcalls_free(struct firstcalls *f);

#endif

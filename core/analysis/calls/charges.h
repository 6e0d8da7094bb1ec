/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of the events of each path. The cost of one event was measured before the program
 * started. An event takes its time stamp in the middle of its cost. With an entry, the part before
 * the stamp is in the caller's time, and the part after it in the callee's. With an exit it is the
 * other way round. The whole cost of an event that is both is in the caller's time.
 */
#ifndef GOTRACE_CHARGES_H
#define GOTRACE_CHARGES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/calls/event_costs.h"
#include "model/model.h"

/* Families of costs: traps up to where the kernel executes the instruction, single steps, inline
 * stubs, reading of values. The cost of one may rise while the others stay. */
enum cost_family { COST_TRAPS, COST_STEPS, COST_STUBS, COST_READING, COST_FAMILIES };

/* The measured cost of events in the calls of a path, ns. */
struct path_charge {
	double ns[COST_FAMILIES];
	double own[COST_FAMILIES]; /* cost of its own events, with its callers' part */
	uint64_t events;
};

struct charges {
	struct event_cost costs[HOW_MAX + 1];
	const struct path_node *nodes; /* the model's */
	size_t n;
	const struct call_stats *funcs;
	size_t n_funcs;
	/* Calls of a path by other paths than its parent; those of path i begin at first_fold[i].
	 * NULL when there are none. */
	struct path_fold *folds;
	uint32_t *first_fold;
	struct path_charge *paths; /* by path */
	bool any;                  /* the cost of some event is known */
};

/* Computes the charges of a finished model, which is borrowed. info has the measured costs. 0 or
 * -ENOMEM; charges_free in either case. */
int charges_take(struct charges *c, const struct model *m, const struct trace_info *info);
void charges_free(struct charges *c);

/* An event of a family costs `by` times the measured cost. `off` is the part of it by which that
 * may be wrong. */
struct cost_scale {
	double by, off;
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the events of each path cost, at the cost of each that was measured before the program
 * started. An event's time stamp is taken in the middle of what the event costs: the part before
 * the stamp of an entry is in the caller's time and the part after it in the callee's; of an exit
 * it is the other way round; of an event that is both, all of it is in the caller's.
 */
#ifndef GOTRACE_CHARGES_H
#define GOTRACE_CHARGES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/calls/event_costs.h"
#include "model/model.h"

/* What makes one of these cost more need not touch the others: traps up to where the kernel
 * executes the instruction, single steps, inline stubs, reading of values. */
enum cost_family { COST_TRAPS, COST_STEPS, COST_STUBS, COST_READING, COST_FAMILIES };

/* What events cost in the calls of a path at the measured cost of each, ns. */
struct path_charge {
	double ns[COST_FAMILIES];
	double own[COST_FAMILIES]; /* of its own events, its callers' part included */
	uint64_t events;
};

struct charges {
	struct event_cost costs[HOW_MAX + 1];
	const struct path_node *nodes; /* the model's */
	size_t n;
	const struct call_stats *funcs;
	size_t n_funcs;
	/* calls of a path by others than its parent, those of path i from first_fold[i] on; NULL:
	 * there are none */
	struct path_fold *folds;
	uint32_t *first_fold;
	struct path_charge *paths; /* by path */
	bool any;                  /* event whose cost is known */
};

/* Of a model that has finished, which is borrowed; info has the measured costs. To be freed in any
 * case. 0 or -ENOMEM */
int charges_take(struct charges *c, const struct model *m, const struct trace_info *info);
void charges_free(struct charges *c);

/* An event of a family costs `by` times what was measured, and that may be off by a part of it. */
struct cost_scale {
	double by, off;
};

#endif

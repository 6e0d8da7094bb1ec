/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the thesis's profile, for csv and perun's legacy layout. */
#ifndef GOTRACE_THESIS_H
#define GOTRACE_THESIS_H

#include "analysis/calls/call_tree.h"

/* Numbers that the tree's nodes do not have. */
struct thesis_extra {
	/* calls that it made to probed functions and to itself */
	uint64_t callees;
	uint64_t min_self_ns, max_self_ns; /* self times of finished calls */
};

struct thesis {
	struct loaded_trace trace;
	struct call_tree tree;
	struct thesis_extra *extra; /* by node */
	/* the tree.n - 1 nodes from 1 on, the largest self time first, then in the tree's order */
	uint32_t *order;
};

/* Loads a trace and its tree as tree_load does; thesis_free in either case. */
int thesis_load(struct thesis *t, struct trace_reader *r, const struct trace_view *view,
		bool cut_go);
void thesis_free(struct thesis *t);

enum thesis_unit { THESIS_COUNT, THESIS_NS, THESIS_PER_CALL, THESIS_SHARE };

/* The 14 columns in the thesis's order, ended by a NULL name. */
struct thesis_column {
	const char *name;   /* with csv's unit: ms, %, # */
	const char *legacy; /* the name in the thesis's profile */
	enum thesis_unit unit;
	bool legacy_ns;   /* there its unit is ns, not ms */
	bool of_finished; /* empty where no finished call has a duration */
	/* Returns the value. THESIS_SHARE: nanoseconds, a part of trace.totals->root_ns.
	 * THESIS_PER_CALL: a sum to be divided by the calls; means are already divided by finished
	 * calls. */
	uint64_t (*get)(const struct call_stats *st, const struct thesis_extra *x);
};
extern const struct thesis_column thesis_columns[];

/* Returns whether there is such a value. Without it csv has an empty field, and perun no
 * resource. */
static inline bool thesis_has(const struct thesis_column *c, const struct call_stats *st)
{
	return !c->of_finished || call_stats_timed(st);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the thesis's profile, for the formats that have them: csv and perun's legacy
 * layout. */
#ifndef GOTRACE_THESIS_H
#define GOTRACE_THESIS_H

#include "analysis/calls/call_tree.h"

/* What the tree's nodes do not have. */
struct thesis_extra {
	/* calls that it made to probed functions, itself included */
	uint64_t callees;
	uint64_t min_self_ns, max_self_ns; /* of finished calls */
};

struct thesis {
	struct loaded_trace trace;
	struct call_tree tree;
	struct thesis_extra *extra; /* by node */
	/* nodes 1.., the largest self time first, then in the tree's order; tree.n - 1 of them */
	uint32_t *order;
};

/* As tree_load; thesis_free in either case. */
int thesis_load(struct thesis *t, struct trace_reader *r, const struct trace_view *view,
		bool cut_go);
void thesis_free(struct thesis *t);

enum thesis_unit { THESIS_COUNT, THESIS_NS, THESIS_PER_CALL, THESIS_SHARE };

/* The 14 columns in the thesis's order, ended by a NULL name. */
struct thesis_column {
	const char *name;   /* with the unit in which csv writes it: ms, %, # */
	const char *legacy; /* as the thesis's profile has it */
	enum thesis_unit unit;
	bool legacy_ns;   /* there its unit is ns, not ms */
	bool of_finished; /* nothing to say where no finished call has a duration */
	/* THESIS_SHARE: in nanoseconds, of trace.totals->root_ns; THESIS_PER_CALL: to be divided by
	 * the calls; means: by finished calls already */
	uint64_t (*get)(const struct call_stats *st, const struct thesis_extra *x);
};
extern const struct thesis_column thesis_columns[];

/* Is there such a value? csv has an empty field where there is none, perun no resource. */
static inline bool thesis_has(const struct thesis_column *c, const struct call_stats *st)
{
	return !c->of_finished || call_stats_timed(st);
}

#endif

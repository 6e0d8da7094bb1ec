// SPDX-License-Identifier: BSD-2-Clause
#include "export/thesis.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/calls/whole_paths.h"
#include "base/log.h"
#include "export/tree_load.h"

/* Calls that count as a path above their caller's are its callees, not those of that path's parent.
 */
static void move_folded(struct thesis *t, const struct path_node *nodes)
{
	size_t n;
	const struct path_fold *folds = model_path_folds(t->trace.model, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t to = t->tree.node_of[folds[i].to];

		t->extra[t->tree.node_of[folds[i].from]].callees += folds[i].calls;
		if (!nodes[folds[i].to].go_edge)
			t->extra[t->tree.nodes[to].parent].callees -= folds[i].calls;
	}
}

/* A node's callees are the calls of the nodes below it, without those that these made of
 * themselves. */
static int find_extras(struct thesis *t)
{
	uint64_t *finished = calloc(t->tree.n, sizeof(*finished));
	const struct path_selfs *selfs = model_path_selfs(t->trace.model);
	size_t n;
	const struct path_node *nodes = model_paths(t->trace.model, &n);

	t->extra = calloc(t->tree.n, sizeof(*t->extra));
	if (!t->extra || !finished) {
		free(finished);
		return -ENOMEM;
	}
	for (size_t i = 1; i < n; i++) {
		uint32_t node = t->tree.node_of[i];
		struct thesis_extra *x = &t->extra[node];

		x->callees += nodes[i].recursive;
		if (!t->tree.nodes[node].go)
			t->extra[t->tree.nodes[node].parent].callees -= nodes[i].recursive;
		if (!nodes[i].stats.finished)
			continue;
		if (!finished[node] || selfs[i].min_ns < x->min_self_ns)
			x->min_self_ns = selfs[i].min_ns;
		if (selfs[i].max_ns > x->max_self_ns)
			x->max_self_ns = selfs[i].max_ns;
		finished[node] += nodes[i].stats.finished;
	}
	move_folded(t, nodes);
	for (size_t i = 1; i < t->tree.n; i++)
		if (!t->tree.nodes[i].go)
			t->extra[t->tree.nodes[i].parent].callees += t->tree.nodes[i].stats->calls;
	free(finished);
	return 0;
}

static int by_self(const void *x, const void *y, void *ctx)
{
	const struct call_node *nodes = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t m = nodes[a].stats->self_ns, n = nodes[b].stats->self_ns;

	return m != n ? (m > n ? -1 : 1) : (a > b) - (a < b);
}

int thesis_load(struct thesis *t, struct trace_reader *r, const struct trace_view *view,
		bool cut_go)
{
	struct trace_watch watch = { .path_selfs = true };

	*t = (struct thesis){ 0 };
	int err = tree_load(&t->trace, &t->tree, r, view, &watch, cut_go, true);

	if (!err)
		err = whole_paths_bound(&t->tree, t->trace.info, 0, whole_paths_most(r));
	if (!err)
		err = find_extras(t);
	if (!err) {
		t->order = calloc(t->tree.n, sizeof(*t->order));
		err = t->order ? 0 : -ENOMEM;
	}
	if (err) {
		if (err == -ENOMEM)
			log_no_memory("no memory for the rows of paths");
		return err;
	}
	for (size_t i = 1; i < t->tree.n; i++)
		t->order[i - 1] = (uint32_t)i;
	qsort_r(t->order, t->tree.n - 1, sizeof(*t->order), by_self, t->tree.nodes);
	return 0;
}

void thesis_free(struct thesis *t)
{
	free(t->extra);
	free(t->order);
	call_tree_free(&t->tree);
	trace_unload(&t->trace);
}

#define COLUMN(name, value)                                                             \
	static uint64_t name(const struct call_stats *st, const struct thesis_extra *x) \
	{                                                                               \
		(void)st;                                                               \
		(void)x;                                                                \
		return value;                                                           \
	}

COLUMN(callees, x->callees)
COLUMN(total, st->total_ns)
COLUMN(self, st->self_ns)
COLUMN(morestack, st->morestack_ns)
COLUMN(mean_total, st->sum_ns / st->finished)
COLUMN(mean_self, st->self_ns / st->calls)
COLUMN(min_total, st->min_ns)
COLUMN(max_total, st->max_ns)
COLUMN(min_self, x->min_self_ns)
COLUMN(max_self, x->max_self_ns)

const struct thesis_column thesis_columns[] = {
	{ "Callees [#]", "Callees [#]", THESIS_COUNT, false, false, callees },
	{ "Callees Mean [#]", "Callees Mean [#]", THESIS_PER_CALL, false, false, callees },
	{ "Total Inclusive T [ms]", "Total Inclusive T [ms]", THESIS_NS, false, false, total },
	{ "Total Inclusive T [%]", "Total Inclusive T [%]", THESIS_SHARE, false, false, total },
	{ "Total Exclusive T [ms]", "Total Exclusive T [ms]", THESIS_NS, false, false, self },
	{ "Total Exclusive T [%]", "Total Exclusive T [%]", THESIS_SHARE, false, false, self },
	{ "Total Morestack T [ms]", "Total Morestack T [ms]", THESIS_NS, false, false, morestack },
	{ "Total Morestack T [%]", "Total Morestack T [%]", THESIS_SHARE, false, false, morestack },
	{ "I Mean [ms]", "I Mean", THESIS_NS, false, true, mean_total },
	{ "E Mean [ms]", "E Mean", THESIS_NS, false, true, mean_self },
	{ "I Min [ms]", "I Min", THESIS_NS, true, true, min_total },
	{ "E Min [ms]", "E Min", THESIS_NS, true, true, min_self },
	{ "I Max [ms]", "I Max", THESIS_NS, true, true, max_total },
	{ "E Max [ms]", "E Max", THESIS_NS, true, true, max_self },
	{ 0 },
};

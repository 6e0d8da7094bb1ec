// SPDX-License-Identifier: BSD-2-Clause
#include "export/thesis.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/vec.h"
#include "export/tree_load.h"

/* What calls say that their node does not keep, by the model's paths. */
struct noting {
	struct noted {
		uint64_t finished, recursive, min_self_ns, max_self_ns;
	} * paths;
	size_t cap;
	struct trace_watch watch;
};

static void on_call(void *ctx, const struct call *c)
{
	struct noting *to = ctx;

	if (!to->watch.err)
		to->watch.err = vec_reserve(&to->paths, &to->cap, (size_t)c->path + 1);
	if (to->watch.err)
		return;
	struct noted *n = &to->paths[c->path];

	n->recursive += c->recursive;
	if (c->end != CALL_FINISHED && c->end != CALL_TAIL)
		return;
	if (!n->finished++ || c->self_ns < n->min_self_ns)
		n->min_self_ns = c->self_ns;
	if (c->self_ns > n->max_self_ns)
		n->max_self_ns = c->self_ns;
}

/* A node's callees are the calls of the nodes below it, without those that these made of
 * themselves. */
static int take_notes(struct thesis *t, const struct noting *from)
{
	uint64_t *finished = calloc(t->tree.n, sizeof(*finished));
	size_t n;

	model_paths(t->trace.model, &n);
	t->extra = calloc(t->tree.n, sizeof(*t->extra));
	if (!t->extra || !finished) {
		free(finished);
		return -ENOMEM;
	}
	for (size_t i = 1; i < n && i < from->cap; i++) {
		const struct noted *note = &from->paths[i];
		uint32_t node = t->tree.node_of[i];
		struct thesis_extra *x = &t->extra[node];

		x->callees += note->recursive;
		if (!t->tree.nodes[node].go)
			t->extra[t->tree.nodes[node].parent].callees -= note->recursive;
		if (!note->finished)
			continue;
		if (!finished[node] || note->min_self_ns < x->min_self_ns)
			x->min_self_ns = note->min_self_ns;
		if (note->max_self_ns > x->max_self_ns)
			x->max_self_ns = note->max_self_ns;
		finished[node] += note->finished;
	}
	for (size_t i = 1; i < t->tree.n; i++)
		if (!t->tree.nodes[i].go)
			t->extra[t->tree.nodes[i].parent].callees += t->tree.nodes[i].stats.calls;
	free(finished);
	return 0;
}

static int by_self(const void *x, const void *y, void *ctx)
{
	const struct call_node *nodes = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t m = nodes[a].stats.self_ns, n = nodes[b].stats.self_ns;

	return m != n ? (m > n ? -1 : 1) : (a > b) - (a < b);
}

int thesis_load(struct thesis *t, struct trace_reader *r, const struct trace_view *view,
		bool cut_go)
{
	struct noting noting = { .watch = { .on_call = on_call, .ctx = &noting } };

	*t = (struct thesis){ 0 };
	int err = tree_load(&t->trace, &t->tree, r, view, &noting.watch, cut_go, true);

	if (!err)
		err = take_notes(t, &noting);
	free(noting.paths);
	if (!err) {
		t->order = calloc(t->tree.n, sizeof(*t->order));
		err = t->order ? 0 : -ENOMEM;
	}
	if (err) {
		if (err == -ENOMEM)
			log_error("no memory for the rows of paths");
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

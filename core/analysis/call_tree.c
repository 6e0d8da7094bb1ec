// SPDX-License-Identifier: BSD-2-Clause
/*
 * The tree that reports show. The engine keeps paths apart that differ only in
 * the go statement they run through; a reader sees names, so here they are one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "analysis/report.h"

static int merge(struct report *rep)
{
	size_t n;
	const struct path_node *from = model_paths(rep->model, &n);
	uint32_t *twin = calloc(n, sizeof(*twin));
	int err = twin ? paths_init(&rep->tree, UINT32_MAX - 8) : -ENOMEM;

	for (size_t i = 1; !err && i < n; i++) { /* parents come before their children */
		err = paths_call(&rep->tree, twin[from[i].parent], from[i].func, &twin[i]);
		if (err)
			break;
		struct path_node *into = &rep->tree.nodes[twin[i]];

		call_stats_add(&into->stats, &from[i].stats);
		if (from[i].go_edge && !into->go_edge)
			into->go_pc = from[i].go_pc;
		else if (from[i].go_edge && into->go_pc != from[i].go_pc)
			into->go_pc = 0; /* several go statements */
		into->go_edge |= from[i].go_edge;
		if (from[i].max_recursion > into->max_recursion)
			into->max_recursion = from[i].max_recursion;
	}
	free(twin);
	return err;
}

struct ordering {
	const struct report *rep;
	uint32_t *stack, *children;
	size_t n_stack, cap_stack, cap_children;
};

static int by_name_down(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = strcmp(report_name(rep, rep->tree.nodes[b].func),
		       report_name(rep, rep->tree.nodes[a].func));

	return c ? c : (a < b) - (a > b);
}

/* Puts node's children on the stack, the first by name on top. */
static int push_children(struct ordering *o, uint32_t node)
{
	const struct path_node *nodes = o->rep->tree.nodes;
	size_t n = 0;

	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next_sibling) {
		int err = vec_reserve(&o->children, &o->cap_children, n + 1);

		if (err)
			return err;
		o->children[n++] = c;
	}
	if (!n)
		return 0;
	qsort_r(o->children, n, sizeof(*o->children), by_name_down, (void *)o->rep);
	int err = vec_reserve(&o->stack, &o->cap_stack, o->n_stack + n);

	if (!err)
		memcpy(o->stack + o->n_stack, o->children, n * sizeof(*o->children));
	o->n_stack += err ? 0 : n;
	return err;
}

int report_number_tree(struct report *rep)
{
	struct ordering o = { .rep = rep };
	uint32_t next = 1;
	int err;

	rep->place = calloc(rep->tree.n, sizeof(*rep->place));
	if (!rep->place)
		return -ENOMEM;
	err = push_children(&o, 0);
	while (!err && o.n_stack) {
		uint32_t node = o.stack[--o.n_stack];

		rep->place[node] = next++;
		err = push_children(&o, node);
	}
	free(o.stack);
	free(o.children);
	return err;
}

int report_build_tree(struct report *rep)
{
	int err = merge(rep);

	if (err)
		return err;
	rep->level = calloc(rep->tree.n, sizeof(*rep->level));
	rep->below_ns = calloc(rep->tree.n, sizeof(*rep->below_ns));
	if (!rep->level || !rep->below_ns)
		return -ENOMEM;
	for (size_t i = 1; i < rep->tree.n; i++)
		rep->level[i] = rep->level[rep->tree.nodes[i].parent] + 1;
	for (size_t i = rep->tree.n; i-- > 0;) {
		const struct call_stats *st = &rep->tree.nodes[i].stats;

		rep->below_ns[i] += st->self_ns + st->morestack_ns + st->preempt_ns;
		if (i)
			rep->below_ns[rep->tree.nodes[i].parent] += rep->below_ns[i];
	}
	return report_number_tree(rep);
}

bool report_wants_path(const struct report *rep, size_t node)
{
	const struct report_options *o = rep->opt;

	return (!o->depth || rep->level[node] <= o->depth) &&
	       share_pct(rep->below_ns[node], rep->below_ns[0]) >= o->min_share_pct;
}

int report_path(const struct report *rep, uint32_t node, uint32_t **nodes, size_t *cap, size_t *n)
{
	*n = 0;
	for (uint32_t up = node; up; up = rep->tree.nodes[up].parent)
		++*n;
	int err = vec_reserve(nodes, cap, *n);

	if (err)
		log_error("no memory for a path of %zu functions", *n);
	for (size_t i = *n; !err && i-- > 0; node = rep->tree.nodes[node].parent)
		(*nodes)[i] = node;
	return err;
}

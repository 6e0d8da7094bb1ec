// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "export/exports.h"

struct building {
	const struct report *rep;
	/* parents before children, siblings in any order */
	struct export_node *nodes;
	size_t n;
	uint32_t *rank;  /* of functions: equal names have one rank */
	uint32_t *first; /* of functions: the first that has its name */
	/* a hash table of nodes; 0: empty. A power of two */
	uint32_t *slots;
	size_t n_slots;
	/* the node of each of the model's paths */
	uint32_t *twin;
	size_t n_paths;
};

static int by_name(const void *x, const void *y, void *ctx)
{
	const struct trace_func *funcs = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = strcmp(funcs[a].name, funcs[b].name);

	return c ? c : (a > b) - (a < b);
}

static int rank_names(struct building *b)
{
	const struct trace_info *info = b->rep->info;
	uint32_t *order = calloc(info->n_funcs + 1, sizeof(*order)), rank = 0;

	b->rank = calloc(info->n_funcs + 1, sizeof(*b->rank));
	b->first = calloc(info->n_funcs + 1, sizeof(*b->first));
	if (!order || !b->rank || !b->first) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < info->n_funcs; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, info->n_funcs, sizeof(*order), by_name, info->funcs);
	for (size_t i = 0; i < info->n_funcs; i++) {
		bool same = i &&
			    !strcmp(info->funcs[order[i - 1]].name, info->funcs[order[i]].name);

		rank += i && !same;
		b->rank[order[i]] = rank;
		b->first[order[i]] = same ? b->first[order[i - 1]] : order[i];
	}
	free(order);
	return 0;
}

/* PATH_* come last. */
static uint32_t rank_of(const struct building *b, uint32_t func)
{
	return func < b->rep->info->n_funcs ? b->rank[func] : func;
}

static uint32_t *slot_of(const struct building *b, uint32_t parent, uint32_t func, bool go)
{
	uint64_t h = ((uint64_t)parent << 33 ^ (uint64_t)func << 1 ^ go) * 0x9e3779b97f4a7c15u;
	size_t at = h >> 20 & (b->n_slots - 1);

	for (;; at = (at + 1) & (b->n_slots - 1)) {
		const struct export_node *x = &b->nodes[b->slots[at]];

		if (!b->slots[at] || (x->parent == parent && x->func == func && x->go == go))
			return &b->slots[at];
	}
}

static void take(struct building *b, uint32_t *slot, const struct path_node *from,
		 const struct export_node *as)
{
	struct export_node *x;

	if (!*slot) {
		*slot = (uint32_t)b->n++;
		b->nodes[*slot] = *as;
	}
	x = &b->nodes[*slot];
	if (x->go_pc != as->go_pc)
		x->go_pc = 0;
	call_stats_add(&x->stats, &from->stats);
}

/* Nodes of one name below one parent made one. */
static int merge(struct building *b, bool go_edges)
{
	size_t n;
	const struct path_node *from = model_paths(b->rep->model, &n);
	uint32_t *twin = b->twin = calloc(n + 1, sizeof(*twin));

	b->n_paths = n;
	for (b->n_slots = 64; b->n_slots < 2 * n;)
		b->n_slots *= 2;
	b->slots = calloc(b->n_slots, sizeof(*b->slots));
	b->nodes = calloc(n + 1, sizeof(*b->nodes));
	if (!twin || !b->slots || !b->nodes)
		return -ENOMEM;
	b->nodes[0].func = PATH_ROOT;
	b->n = 1;
	for (size_t i = 1; i < n; i++) {
		bool go = from[i].go_edge && from[i].parent && go_edges;
		uint32_t func = from[i].func;
		const struct export_node as = {
			.parent = from[i].go_edge && !go_edges ? 0 : twin[from[i].parent],
			.func = func < b->rep->info->n_funcs ? b->first[func] : func,
			.go = go,
			.go_pc = go ? from[i].go_pc : 0,
		};
		uint32_t *slot = slot_of(b, as.parent, as.func, go);

		take(b, slot, &from[i], &as);
		twin[i] = *slot;
	}
	return 0;
}

static int by_place(const void *x, const void *y, void *ctx)
{
	const struct building *b = ctx;
	const struct export_node *m = &b->nodes[*(const uint32_t *)x],
				 *n = &b->nodes[*(const uint32_t *)y];
	uint32_t rm = rank_of(b, m->func), rn = rank_of(b, n->func);

	if (m->parent != n->parent)
		return m->parent < n->parent ? -1 : 1;
	return rm != rn ? (rm < rn ? -1 : 1) : m->go - n->go;
}

/*
 * Fills `to` with the nodes in their final order. `sorted` holds children of
 * one node side by side, `child` where those of each begin, ended by one of
 * another parent. Leaves the old number of each new one in *old.
 */
static void lay_down(const struct building *b, const uint32_t *sorted, uint32_t *child,
		     uint32_t *old, struct export_tree *to)
{
	/* the node whose children are next, by its new and its old number */
	uint32_t at = 0, old_at = 0;

	to->nodes[to->n++] = b->nodes[0];
	for (;;) {
		uint32_t c = child[old_at];

		if (c && c < b->n && b->nodes[sorted[c]].parent == old_at) {
			child[old_at]++;
			struct export_node *x = &to->nodes[to->n];

			*x = b->nodes[sorted[c]];
			x->parent = at;
			x->level = to->nodes[at].level + 1;
			at = (uint32_t)to->n++;
			old[at] = old_at = sorted[c];
			continue;
		}
		to->nodes[at].end = (uint32_t)to->n;
		if (!at)
			return;
		at = to->nodes[at].parent;
		old_at = old[at];
	}
}

static int order(struct building *b, struct export_tree *to)
{
	uint32_t *sorted = calloc(b->n + 1, sizeof(*sorted));
	uint32_t *child = calloc(b->n + 1, sizeof(*child));
	uint32_t *old = calloc(b->n + 1, sizeof(*old));
	int err = -ENOMEM;

	to->nodes = calloc(b->n, sizeof(*to->nodes));
	if (sorted && child && old && to->nodes) {
		err = 0;
		for (size_t i = 1; i < b->n; i++)
			sorted[i] = (uint32_t)i;
		qsort_r(sorted + 1, b->n - 1, sizeof(*sorted), by_place, b);
		for (size_t i = b->n - 1; i > 0; i--)
			child[b->nodes[sorted[i]].parent] = (uint32_t)i;
		lay_down(b, sorted, child, old, to);
		for (size_t i = 1; i < b->n; i++) /* `sorted` is not needed any more */
			sorted[old[i]] = (uint32_t)i;
		for (size_t i = 1; i < b->n_paths; i++)
			b->twin[i] = sorted[b->twin[i]];
		to->of_path = b->twin;
		b->twin = NULL;
	}
	free(sorted);
	free(child);
	free(old);
	return err;
}

int export_tree_build(struct export_tree *t, const struct report *rep, bool go_edges)
{
	struct building b = { .rep = rep };
	int err = rank_names(&b);

	*t = (struct export_tree){ 0 };
	if (!err)
		err = merge(&b, go_edges);
	if (!err)
		err = order(&b, t);
	if (err)
		log_error("no memory for the tree of paths");
	free(b.rank);
	free(b.first);
	free(b.slots);
	free(b.twin);
	free(b.nodes);
	return err;
}

void export_tree_free(struct export_tree *t)
{
	free(t->nodes);
	free(t->of_path);
	*t = (struct export_tree){ 0 };
}

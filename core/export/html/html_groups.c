// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "export/html/html.h"

struct key {
	uint32_t func, node;
	uint64_t go_pc;
};

static int by_site(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	if (a->func != b->func)
		return compare_u64(a->func, b->func);
	return a->go_pc != b->go_pc ? compare_u64(a->go_pc, b->go_pc)
				    : compare_u64(a->node, b->node);
}

static int add_group(struct html_groups *g, uint32_t func, uint64_t go_pc)
{
	int err = vec_reserve(&g->all, &g->cap, g->n + 1);

	if (!err)
		g->all[g->n++] = (struct html_group){ .func = func, .go_pc = go_pc };
	return err;
}

/* Numbers the groups by function and creation site; gives each go node its group. */
static int number_groups(struct html_groups *g, const struct call_tree *t)
{
	struct key *keys = calloc(t->n, sizeof(*keys));
	size_t n = 0;
	int err = keys ? add_group(g, PATH_ROOT, 0) : -ENOMEM;

	for (size_t i = 1; !err && i < t->n; i++)
		if (t->nodes[i].go)
			keys[n++] = (struct key){ t->nodes[i].func, (uint32_t)i,
						  t->nodes[i].go_pc };
	if (n)
		qsort(keys, n, sizeof(*keys), by_site);
	for (size_t i = 0; !err && i < n; i++) {
		if (!i || keys[i].func != keys[i - 1].func || keys[i].go_pc != keys[i - 1].go_pc)
			err = add_group(g, keys[i].func, keys[i].go_pc);
		g->of_node[keys[i].node] = (uint32_t)g->n - 1;
	}
	free(keys);
	return err;
}

static void weigh_groups(struct html_groups *g, const struct call_tree *t)
{
	for (size_t i = 1; i < t->n; i++) {
		const struct call_node *x = &t->nodes[i];
		const struct call_stats *st = x->stats;

		if (!x->go)
			g->of_node[i] = g->of_node[x->parent];
		g->all[g->of_node[i]].weight_ns += st->self_ns + st->morestack_ns + st->preempt_ns;
	}
}

/* Which nodes are the first of their function on the way down their goroutine. */
static int find_outermost(struct html_groups *g, const struct call_tree *t, size_t n_funcs)
{
	/* of functions: the node of it met last on the way to the current one, 0: none; PATH_* are
	 * never below */
	uint32_t *open = calloc(n_funcs + 1, sizeof(*open));
	uint32_t *outer = calloc(t->n, sizeof(*outer)), *root = calloc(t->n, sizeof(*root));
	uint32_t at = 0;

	if (!open || !outer || !root) {
		free(open);
		free(outer);
		free(root);
		return -ENOMEM;
	}
	for (size_t i = 1; i < t->n; i++) {
		const struct call_node *x = &t->nodes[i];
		uint32_t func = x->func < n_funcs ? x->func : (uint32_t)n_funcs;

		for (; at && t->nodes[at].level >= x->level; at = t->nodes[at].parent)
			open[t->nodes[at].func < n_funcs ? t->nodes[at].func : n_funcs] = outer[at];
		root[i] = x->go || !x->parent ? (uint32_t)i : root[x->parent];
		outer[i] = open[func];
		g->outermost[i] = !outer[i] || root[outer[i]] != root[i];
		open[func] = (uint32_t)i;
		at = (uint32_t)i;
	}
	free(open);
	free(outer);
	free(root);
	return 0;
}

int html_groups_find(struct html_groups *g, const struct call_tree *t, size_t n_funcs)
{
	*g = (struct html_groups){ .of_node = calloc(t->n, sizeof(*g->of_node)),
				   .outermost = calloc(t->n, sizeof(*g->outermost)) };
	int err = g->of_node && g->outermost ? number_groups(g, t) : -ENOMEM;

	if (err)
		return err;
	weigh_groups(g, t);
	return find_outermost(g, t, n_funcs);
}

void html_groups_count(struct html_groups *g, const struct call_tree *t,
		       const struct html_goroutines *from)
{
	if (from->untracked) /* they may be of any group */
		return;
	for (size_t i = 0; i < from->n_started; i++)
		if (from->started[i].goroutines)
			g->all[g->of_node[t->node_of[from->started[i].root]]].goroutines +=
				from->started[i].goroutines;
	g->all[0].goroutines += from->unstarted;
}

void html_groups_free(struct html_groups *g)
{
	free(g->all);
	free(g->of_node);
	free(g->outermost);
	*g = (struct html_groups){ 0 };
}

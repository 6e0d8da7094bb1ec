// SPDX-License-Identifier: BSD-2-Clause
/* The tree as the page draws it: heaviest first, goroutines by the place where they began. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/html/html.h"

struct html_node *html_nodes_of(const struct path_node *from, size_t n)
{
	struct html_node *nodes = calloc(n, sizeof(*nodes));

	for (size_t i = 0; nodes && i < n; i++) {
		const struct call_stats *st = &from[i].stats;

		nodes[i] = (struct html_node){
			.parent = from[i].parent, .func = from[i].func, .recursion = from[i].max_recursion,
			.go = from[i].go_edge, .go_pc = from[i].go_pc,
			.v = {
				.calls = st->calls, .total_ns = st->total_ns, .self_ns = st->self_ns,
				.morestack_ns = st->morestack_ns, .preempt_ns = st->preempt_ns,
				.suspect = st->suspect, .unfinished = st->unfinished, .unwound = st->unwound,
			},
		};
	}
	return nodes;
}

static uint64_t own_ns(const struct html_node *x)
{
	return x->v.self_ns + x->v.morestack_ns + x->v.preempt_ns;
}

/* ---- order */

/* Siblings: the heaviest first; equal ones by function, called before started. */
static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct html_node *nodes = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct html_node *na = &nodes[a], *nb = &nodes[b];

	if (na->below_ns != nb->below_ns)
		return (na->below_ns < nb->below_ns) - (na->below_ns > nb->below_ns);
	if (na->func != nb->func)
		return (na->func > nb->func) - (na->func < nb->func);
	if (na->go_pc != nb->go_pc)
		return (na->go_pc > nb->go_pc) - (na->go_pc < nb->go_pc);
	return (a > b) - (a < b);
}

/* Indices of the nodes, siblings together; those of parent p are [first[p], first[p + 1]). */
static uint32_t *siblings(struct html_node *nodes, size_t n, uint32_t *first)
{
	uint32_t *order = calloc(n, sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = n; i-- > 1;) {
		nodes[i].below_ns += own_ns(&nodes[i]);
		nodes[nodes[i].parent].below_ns += nodes[i].below_ns;
		first[nodes[i].parent + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	for (size_t i = 1; i < n; i++)
		order[first[nodes[i].parent]++] = (uint32_t)i;
	for (size_t i = n; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
	for (size_t i = 0; i < n; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(order + first[i], first[i + 1] - first[i], sizeof(*order),
				by_weight, nodes);
	return order;
}

/* Fills t->nodes and t->place. The stack holds ranges of siblings that are not done. */
static int walk(struct html_tree *t, struct html_node *nodes, size_t n)
{
	uint32_t *first = calloc(n + 2, sizeof(*first)), *order = NULL,
		 *stack = calloc(n + 1, sizeof(*stack));
	size_t n_stack = 0;

	t->nodes = calloc(n, sizeof(*t->nodes));
	t->place = calloc(n, sizeof(*t->place));
	if (first)
		order = siblings(nodes, n, first);
	if (!first || !order || !stack || !t->nodes || !t->place) {
		free(first);
		free(order);
		free(stack);
		return -ENOMEM;
	}
	stack[n_stack++] = 0;
	while (n_stack) {
		uint32_t at = stack[--n_stack], now = (uint32_t)t->n++;

		t->place[at] = now;
		t->nodes[now] = nodes[at];
		if (at) {
			t->nodes[now].parent = t->place[nodes[at].parent];
			t->nodes[now].level = t->nodes[t->nodes[now].parent].level + 1;
		}
		for (uint32_t k = first[at + 1]; k-- > first[at];)
			stack[n_stack++] = order[k];
	}
	free(first);
	free(order);
	free(stack);
	return 0;
}

/* ---- goroutines */

struct key {
	uint32_t func, node;
	uint64_t go_pc;
};

static int by_place(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	if (a->func != b->func)
		return (a->func > b->func) - (a->func < b->func);
	if (a->go_pc != b->go_pc)
		return (a->go_pc > b->go_pc) - (a->go_pc < b->go_pc);
	return (a->node > b->node) - (a->node < b->node);
}

/* Numbers the groups by function and place; gives each go node its group. */
static int find_groups(struct html_tree *t)
{
	struct key *keys = calloc(t->n, sizeof(*keys));
	size_t n = 0;
	int err = keys ? vec_reserve(&t->groups, &t->cap_groups, 1) : -ENOMEM;

	if (err) {
		free(keys);
		return err;
	}
	t->groups[0] = (struct html_group){ .func = PATH_ROOT };
	t->n_groups = 1;
	for (size_t i = 1; i < t->n; i++)
		if (t->nodes[i].go)
			keys[n++] = (struct key){ t->nodes[i].func, (uint32_t)i,
						  t->nodes[i].go_pc };
	if (n)
		qsort(keys, n, sizeof(*keys), by_place);
	for (size_t i = 0; !err && i < n; i++) {
		if (!i || keys[i].func != keys[i - 1].func || keys[i].go_pc != keys[i - 1].go_pc) {
			err = vec_reserve(&t->groups, &t->cap_groups, t->n_groups + 1);
			if (err)
				break;
			t->groups[t->n_groups++] = (struct html_group){ .func = keys[i].func,
									.go_pc = keys[i].go_pc };
		}
		t->nodes[keys[i].node].group = (uint32_t)t->n_groups - 1;
	}
	free(keys);
	return err;
}

static void fill_groups(struct html_tree *t)
{
	for (size_t i = 1; i < t->n; i++) {
		struct html_node *x = &t->nodes[i];

		if (!x->go)
			x->group = t->nodes[x->parent].group;
		if (x->go || !x->parent)
			t->groups[x->group].goroutines += x->v.calls;
		t->groups[x->group].weight_ns += own_ns(x);
	}
}

/* Which nodes are the first of their function on the way down their goroutine. */
static int find_outermost(struct html_tree *t, size_t n_funcs)
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
		struct html_node *x = &t->nodes[i];
		uint32_t func = x->func < n_funcs ? x->func : (uint32_t)n_funcs;

		for (; at && t->nodes[at].level >= x->level; at = t->nodes[at].parent)
			open[t->nodes[at].func < n_funcs ? t->nodes[at].func : n_funcs] = outer[at];
		root[i] = x->go || !x->parent ? (uint32_t)i : root[x->parent];
		outer[i] = open[func];
		x->outermost = !outer[i] || root[outer[i]] != root[i];
		open[func] = (uint32_t)i;
		at = (uint32_t)i;
	}
	free(open);
	free(outer);
	free(root);
	return 0;
}

int html_tree_build(struct html_tree *t, struct html_node *nodes, size_t n, size_t n_funcs)
{
	int err = nodes ? walk(t, nodes, n) : -ENOMEM;

	free(nodes);
	if (!err)
		err = find_groups(t);
	if (err)
		return err;
	fill_groups(t);
	return find_outermost(t, n_funcs);
}

void html_tree_free(struct html_tree *t)
{
	free(t->nodes);
	free(t->groups);
	free(t->place);
	*t = (struct html_tree){ 0 };
}

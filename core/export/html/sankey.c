// SPDX-License-Identifier: BSD-2-Clause
/* Calls added up; which functions are shown, and what becomes of the others. */
#include "export/html/sankey.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"

/* ---- calls */

/* The edge of e's ends and `go`, made when it is not there. NULL: no memory */
static struct sankey_edge *edge_of(struct sankey_calls *c, const struct sankey_edge *e)
{
	uint32_t hash = hash_u64_pair((uint64_t)e->from << 32 | e->to, e->go);
	size_t at;

	for (uint32_t i = hash_index_first(&c->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&c->index, hash, &at)) {
		struct sankey_edge *x = &c->edges[i];

		if (x->from == e->from && x->to == e->to && x->go == e->go)
			return x;
	}
	if (vec_reserve(&c->edges, &c->cap, c->n + 1) ||
	    hash_index_put(&c->index, hash, (uint32_t)c->n))
		return NULL;
	c->edges[c->n] = (struct sankey_edge){ .from = e->from, .to = e->to, .go = e->go };
	return &c->edges[c->n++];
}

int sankey_add(struct sankey_calls *c, const struct sankey_edge *e)
{
	struct sankey_edge *sum = edge_of(c, e);

	if (!sum)
		return -ENOMEM;
	for (unsigned k = 0; k < SANKEY_KINDS; k++)
		sum->weight[k] += e->weight[k];
	sum->subtree_ns += e->subtree_ns;
	return 0;
}

void sankey_calls_free(struct sankey_calls *c)
{
	free(c->edges);
	hash_index_free(&c->index);
	*c = (struct sankey_calls){ 0 };
}

/* ---- folding */

struct func_weight {
	uint32_t func;
	uint64_t in, out, subtree_ns, self_ns;
	uint64_t most; /* of those that say whether it is shown */
	bool always;   /* it is shown, whatever else weighs more */
	uint32_t node; /* once it is known to be shown; else SANKEY_NONE */
};

static int by_func(const void *x, const void *y)
{
	const struct func_weight *a = x, *b = y;

	return (a->func > b->func) - (a->func < b->func);
}

static int by_weight_down(const void *x, const void *y)
{
	const struct func_weight *a = x, *b = y;

	if (a->always != b->always)
		return b->always - a->always;
	return a->most != b->most ? (a->most < b->most) - (a->most > b->most) : by_func(x, y);
}

static struct func_weight *find(struct func_weight *f, size_t n, uint32_t func)
{
	return bsearch(&(struct func_weight){ .func = func }, f, n, sizeof(*f), by_func);
}

static bool outermost(const struct sankey_edge *e)
{
	return e->go || e->from == SANKEY_NONE;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

/* The functions of all edges once, by number; *n: how many. To be freed. NULL: no memory */
static struct func_weight *functions(const struct sankey_calls *c, size_t *n)
{
	uint32_t *number = calloc(2 * c->n + 1, sizeof(*number));
	struct func_weight *f = NULL;
	size_t k = 0;

	*n = 0;
	for (size_t i = 0; number && i < c->n; i++) {
		number[k++] = c->edges[i].to;
		if (c->edges[i].from != SANKEY_NONE)
			number[k++] = c->edges[i].from;
	}
	if (k)
		qsort(number, k, sizeof(*number), by_number);
	for (size_t i = 0; i < k; i++)
		if (!*n || number[i] != number[*n - 1])
			number[(*n)++] = number[i];
	if (number)
		f = calloc(*n + 1, sizeof(*f));
	for (size_t i = 0; f && i < *n; i++)
		f[i] = (struct func_weight){ .func = number[i], .node = SANKEY_NONE };
	free(number);
	return f;
}

/* All functions once, by number, with what goes in and out. To be freed. NULL: no memory */
static struct func_weight *weigh(const struct sankey_calls *c, enum sankey_by by, size_t *n)
{
	struct func_weight *f = functions(c, n);

	if (!f)
		return NULL;
	for (size_t i = 0; i < c->n; i++) {
		const struct sankey_edge *e = &c->edges[i];

		find(f, *n, e->to)->in += e->weight[by];
		find(f, *n, e->to)->subtree_ns += e->subtree_ns;
		find(f, *n, e->to)->self_ns += e->weight[SANKEY_SELF];
		if (!outermost(e) && e->from != e->to)
			find(f, *n, e->from)->out += e->weight[by];
	}
	for (size_t i = 0; i < *n; i++) {
		f[i].most = f[i].in > f[i].out ? f[i].in : f[i].out;
		if ((by == SANKEY_TOTAL || by == SANKEY_SELF) && f[i].subtree_ns > f[i].most)
			f[i].most = f[i].subtree_ns;
	}
	return f;
}

static int by_self_down(const void *x, const void *y)
{
	const struct func_weight *a = x, *b = y;

	return a->self_ns != b->self_ns ? (a->self_ns < b->self_ns) - (a->self_ns > b->self_ns)
					: by_func(x, y);
}

/* Puts those with the most self time first, and marks the first ones that have a share of it. */
static void mark_heaviest(struct func_weight *f, size_t n, uint32_t min_share)
{
	uint64_t all_ns = 0;

	for (size_t i = 0; i < n; i++)
		all_ns += f[i].self_ns;
	qsort(f, n, sizeof(*f), by_self_down);
	for (size_t i = 0; i < n && i < SANKEY_ALWAYS; i++)
		f[i].always = f[i].self_ns > (min_share ? all_ns / min_share : 0);
}

/* Makes a node of each function that is heavy enough; `f` keeps its order. */
static int choose(struct sankey *s, const struct sankey_options *opt, struct func_weight *f,
		  size_t n)
{
	struct func_weight *heavy = calloc(n + 1, sizeof(*heavy));
	uint64_t least = opt->min_share ? s->whole / opt->min_share : 0;
	int err = heavy ? vec_reserve(&s->nodes, &s->cap_nodes, opt->max_nodes) : -ENOMEM;

	s->folded = calloc(n + 1, sizeof(*s->folded));
	if (!s->folded)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < n; i++)
		heavy[i] = f[i];
	if (!err && n) {
		mark_heaviest(heavy, n, opt->min_share);
		qsort(heavy, n, sizeof(*heavy), by_weight_down);
	}
	for (size_t i = 0; !err && i < n && heavy[i].most; i++) {
		if (s->n_nodes < opt->max_nodes && (heavy[i].always || heavy[i].most >= least)) {
			find(f, n, heavy[i].func)->node = (uint32_t)s->n_nodes;
			s->nodes[s->n_nodes++] = (struct sankey_node){
				.kind = SANKEY_FUNC,
				.func = heavy[i].func,
				.subtree_ns = heavy[i].subtree_ns,
			};
			continue;
		}
		if (!s->n_folded)
			s->folded_most = heavy[i].most;
		s->folded[s->n_folded++] = heavy[i].func;
	}
	free(heavy);
	return err;
}

/* What stands for the folded functions on one side of a node: a node until columns are known. */
static int other_of(struct sankey *s, enum sankey_kind kind, uint32_t *at)
{
	int err = vec_reserve(&s->nodes, &s->cap_nodes, s->n_nodes + 1);

	if (!err) {
		s->nodes[s->n_nodes] = (struct sankey_node){ .kind = kind };
		*at = (uint32_t)s->n_nodes++;
	}
	return err;
}

static int add_link(struct sankey *s, uint32_t from, uint32_t to, bool go, uint64_t weight)
{
	int err = vec_reserve(&s->links, &s->cap_links, s->n_links + 1);

	if (err)
		return err;
	s->links[s->n_links++] =
		(struct sankey_link){ .from = from, .to = to, .go = go, .weight = weight };
	s->nodes[from].out += weight;
	s->nodes[to].in += weight;
	return 0;
}

/* Calls whose total time is already counted in an outer call are kept. */
static bool drawn(const struct sankey_edge *e, enum sankey_by by)
{
	return e->weight[by] || (by == SANKEY_TOTAL && e->weight[SANKEY_CALLS]);
}

static int take_edge(struct sankey *s, const struct sankey_edge *e, enum sankey_by by,
		     uint32_t from, uint32_t to, uint64_t *callees, uint64_t *callers)
{
	uint64_t weight = e->weight[by];

	if (outermost(e) && to != SANKEY_NONE) {
		s->nodes[to].in += weight;
		s->nodes[to].source += weight;
		return e->go && from != SANKEY_NONE && from != to ? add_link(s, from, to, true, 0)
								  : 0;
	}
	if (outermost(e))
		return 0;
	if (from != SANKEY_NONE && from == to) {
		s->nodes[to].in += weight;
		s->nodes[to].recursive += weight;
	} else if (from != SANKEY_NONE && to != SANKEY_NONE) {
		return drawn(e, by) ? add_link(s, from, to, false, weight) : 0;
	} else if (from != SANKEY_NONE) {
		callees[from] += weight;
	} else if (to != SANKEY_NONE) {
		callers[to] += weight;
	}
	return 0;
}

static int link_nodes(struct sankey *s, const struct sankey_calls *c, enum sankey_by by,
		      struct func_weight *f, size_t n)
{
	size_t n_funcs = s->n_nodes;
	uint64_t *callees = calloc(n_funcs + 1, sizeof(*callees)),
		 *callers = calloc(n_funcs + 1, sizeof(*callers));
	int err = callees && callers ? 0 : -ENOMEM;
	uint32_t other;

	for (size_t i = 0; !err && i < c->n; i++) {
		const struct sankey_edge *e = &c->edges[i];
		uint32_t from = e->from == SANKEY_NONE ? SANKEY_NONE : find(f, n, e->from)->node;

		err = take_edge(s, e, by, from, find(f, n, e->to)->node, callees, callers);
	}
	for (uint32_t i = 0; !err && i < n_funcs; i++) {
		if (callees[i] && !(err = other_of(s, SANKEY_CALLEES, &other)))
			err = add_link(s, i, other, false, callees[i]);
		if (!err && callers[i] && !(err = other_of(s, SANKEY_CALLERS, &other)))
			err = add_link(s, other, i, false, callers[i]);
	}
	free(callees);
	free(callers);
	return err;
}

static int by_link_weight(const void *x, const void *y)
{
	const struct sankey_link *a = x, *b = y;

	if (a->go != b->go)
		return b->go - a->go;
	if (a->weight != b->weight)
		return (a->weight < b->weight) - (a->weight > b->weight);
	if (a->from != b->from)
		return (a->from > b->from) - (a->from < b->from);
	return (a->to > b->to) - (a->to < b->to);
}

/* Go statements stay: they weigh nothing and say how things hang together. */
static void cut_links(struct sankey *s, uint32_t max)
{
	if (!max || s->n_links <= max)
		return;
	qsort(s->links, s->n_links, sizeof(*s->links), by_link_weight);
	while (s->n_links > max && !s->links[s->n_links - 1].go) {
		const struct sankey_link *l = &s->links[--s->n_links];

		s->nodes[l->from].cut_out += l->weight;
		s->nodes[l->to].cut_in += l->weight;
		s->cut_most = l->weight;
		s->n_cut++;
	}
}

/* Nodes and links. 0 or -ENOMEM. */
static int fold(struct sankey *s, const struct sankey_calls *c, const struct sankey_options *opt)
{
	size_t n;
	struct func_weight *f = weigh(c, opt->by, &n);
	int err = f ? 0 : -ENOMEM;

	/* Total time in a callee is time in its caller as well; other weights count once. */
	for (size_t i = 0; i < c->n; i++)
		if (opt->by != SANKEY_TOTAL || outermost(&c->edges[i]))
			s->whole += c->edges[i].weight[opt->by];
	if (!err)
		err = choose(s, opt, f, n);
	if (!err)
		err = link_nodes(s, c, opt->by, f, n);
	if (!err)
		cut_links(s, opt->max_links);
	free(f);
	return err;
}

int sankey_layout(struct sankey *s, const struct sankey_calls *c, const struct sankey_options *opt)
{
	*s = (struct sankey){ 0 };
	int err = fold(s, c, opt);

	if (!err)
		err = sankey_columns(s);
	if (!err)
		err = sankey_order(s);
	return err ? err : sankey_place(s);
}

void sankey_free(struct sankey *s)
{
	free(s->nodes);
	free(s->links);
	free(s->folded);
	*s = (struct sankey){ 0 };
}

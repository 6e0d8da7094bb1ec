// SPDX-License-Identifier: BSD-2-Clause
/*
 * The order of nodes within columns: each node is moved to the average rank of
 * its neighbours, left to right and back, and the order with the fewest
 * crossings is kept (the barycentre method of Sugiyama, Tagawa and Toda, 1981).
 */
#include <errno.h>
#include <stdlib.h>

#include "export/html/sankey.h"

#define SWEEPS 16
#define FINE   4096u /* parts of a rank */

struct ordering {
	struct sankey *s;
	/* by the column they start in */
	struct sankey_piece *pieces;
	size_t n_pieces;
	uint32_t *nodes, *start; /* as of sankey_by_column */
	uint64_t *sum, *weight;  /* of nodes: ranks of neighbours */
	uint32_t *best;          /* the order with the fewest crossings yet */
	uint32_t *tree;          /* for counting */
};

static int by_ends(const void *x, const void *y, void *ctx)
{
	const struct sankey_node *nodes = ctx;
	const struct sankey_piece *a = x, *b = y;
	const struct sankey_node *fa = &nodes[a->from], *fb = &nodes[b->from];

	if (fa->layer != fb->layer)
		return (fa->layer > fb->layer) - (fa->layer < fb->layer);
	if (fa->rank != fb->rank)
		return (fa->rank > fb->rank) - (fa->rank < fb->rank);
	return (nodes[a->to].rank > nodes[b->to].rank) - (nodes[a->to].rank < nodes[b->to].rank);
}

/* Pairs of pieces that cross: for each piece, those before it that end below its end. A Fenwick
 * tree counts the ends met so far in the column. */
static uint64_t count_crossings(struct ordering *o)
{
	const struct sankey_node *nodes = o->s->nodes;
	uint64_t crossings = 0;
	uint32_t layer = UINT32_MAX, met = 0, size = 0;

	qsort_r(o->pieces, o->n_pieces, sizeof(*o->pieces), by_ends, o->s->nodes);
	for (size_t i = 0; i < o->n_pieces; i++) {
		const struct sankey_node *from = &nodes[o->pieces[i].from],
					 *to = &nodes[o->pieces[i].to];

		if (from->layer != layer) {
			layer = from->layer;
			size = o->start[layer + 2] - o->start[layer + 1];
			for (uint32_t k = 0; k <= size; k++)
				o->tree[k] = 0;
			met = 0;
		}
		uint32_t above = 0;

		for (uint32_t k = to->rank + 1; k; k &= k - 1)
			above += o->tree[k];
		crossings += met++ - above;
		for (uint32_t k = to->rank + 1; k <= size; k += k & -k)
			o->tree[k]++;
	}
	return crossings;
}

/* Nodes with neighbours on the side asked for go to the neighbours' average rank, the others keep
 * theirs. */
static uint64_t wanted_rank(const struct ordering *o, uint32_t node)
{
	return o->weight[node] ? o->sum[node] / o->weight[node]
			       : (uint64_t)o->s->nodes[node].rank * FINE;
}

static int by_rank(const void *x, const void *y, void *ctx)
{
	const struct ordering *o = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t pa = wanted_rank(o, a), pb = wanted_rank(o, b);

	if (pa != pb)
		return pa < pb ? -1 : 1;
	return (o->s->nodes[a].rank > o->s->nodes[b].rank) -
	       (o->s->nodes[a].rank < o->s->nodes[b].rank);
}

/* Heavy bands pull more, but none so much that the others do not count. */
static uint64_t pull(uint64_t weight)
{
	return 1 + (weight ? 63 - (uint64_t)__builtin_clzll(weight) : 0);
}

static void sort_column(struct ordering *o, uint32_t layer)
{
	uint32_t *column = o->nodes + o->start[layer], n = o->start[layer + 1] - o->start[layer];

	if (n)
		qsort_r(column, n, sizeof(*column), by_rank, o);
	for (uint32_t k = 0; k < n; k++)
		o->s->nodes[column[k]].rank = k;
}

static void sweep(struct ordering *o, bool right)
{
	const struct sankey *s = o->s;

	for (uint32_t step = 1; step < s->n_layers; step++) {
		uint32_t layer = right ? step : s->n_layers - 1 - step;

		for (uint32_t k = o->start[layer]; k < o->start[layer + 1]; k++)
			o->sum[o->nodes[k]] = o->weight[o->nodes[k]] = 0;
		for (size_t i = 0; i < o->n_pieces; i++) {
			const struct sankey_piece *p = &o->pieces[i];
			uint32_t node = right ? p->to : p->from, other = right ? p->from : p->to;

			if (s->nodes[node].layer != layer)
				continue;
			o->sum[node] += pull(p->weight) * s->nodes[other].rank * FINE;
			o->weight[node] += pull(p->weight);
		}
		sort_column(o, layer);
	}
}

static void improve(struct ordering *o)
{
	struct sankey *s = o->s;
	uint64_t fewest = UINT64_MAX;

	for (unsigned i = 0; i <= SWEEPS; i++) {
		uint64_t crossings = count_crossings(o);

		if (crossings < fewest) {
			fewest = crossings;
			for (size_t n = 0; n < s->n_nodes; n++)
				o->best[n] = s->nodes[n].rank;
		}
		if (!fewest || i == SWEEPS)
			break;
		sweep(o, i % 2 == 0);
	}
	for (size_t n = 0; n < s->n_nodes; n++)
		s->nodes[n].rank = o->best[n];
}

/* The initial order: nodes by weight, then folded ones, then routes. */
static int number(struct sankey *s)
{
	uint32_t *n = calloc(s->n_layers + 1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_nodes; i++)
		s->nodes[i].rank = n[s->nodes[i].layer]++;
	free(n);
	return 0;
}

int sankey_order(struct sankey *s)
{
	struct ordering o = { .s = s };
	int err = number(s);

	if (err || !s->n_nodes)
		return err;
	o.pieces = sankey_pieces(s, &o.n_pieces);
	o.sum = calloc(s->n_nodes, sizeof(*o.sum));
	o.weight = calloc(s->n_nodes, sizeof(*o.weight));
	o.best = calloc(s->n_nodes, sizeof(*o.best));
	o.tree = calloc(s->n_nodes + 1, sizeof(*o.tree));
	err = sankey_by_column(s, &o.nodes, &o.start);
	if (!o.pieces || !o.sum || !o.weight || !o.best || !o.tree)
		err = -ENOMEM;
	if (!err)
		improve(&o);
	free(o.pieces);
	free(o.sum);
	free(o.weight);
	free(o.best);
	free(o.tree);
	free(o.nodes);
	free(o.start);
	return err;
}

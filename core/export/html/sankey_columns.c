// SPDX-License-Identifier: BSD-2-Clause
/* Which calls run backwards, which column a node is in, and where bands pass columns. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/html/sankey.h"

static int by_caller(const void *x, const void *y)
{
	const struct sankey_link *a = x, *b = y;

	if (a->from != b->from)
		return (a->from > b->from) - (a->from < b->from);
	if (a->go != b->go)
		return a->go - b->go;
	if (a->weight != b->weight)
		return (a->weight < b->weight) - (a->weight > b->weight);
	return (a->to > b->to) - (a->to < b->to);
}

struct search {
	struct sankey *s;
	uint32_t *first; /* of node i, links [first[i], first[i + 1]) are its own */
	uint32_t *next;  /* the one to look at next */
	enum { NEW, OPEN, DONE } * state; /* OPEN: on the way down to the current node */
	uint32_t *stack, n_stack;
	uint32_t *done, n_done; /* nodes in the order of their ends: callees before callers */
	bool *called;
};

/* Depth first from node: a link to a node on the way down closes a cycle. */
static void visit(struct search *v, uint32_t node)
{
	if (v->state[node] != NEW)
		return;
	v->state[node] = OPEN;
	v->stack[v->n_stack++] = node;
	while (v->n_stack) {
		uint32_t at = v->stack[v->n_stack - 1];

		if (v->next[at] == v->first[at + 1]) {
			v->state[at] = DONE;
			v->done[v->n_done++] = at;
			v->n_stack--;
			continue;
		}
		struct sankey_link *l = &v->s->links[v->next[at]++];

		if (v->state[l->to] == OPEN) {
			l->back = true;
		} else if (v->state[l->to] == NEW) {
			v->state[l->to] = OPEN;
			v->stack[v->n_stack++] = l->to;
		}
	}
}

/* First functions without callers, then goroutines' first functions, then the rest; each by weight,
 * the order of nodes. */
static void visit_all(struct search *v)
{
	const struct sankey *s = v->s;

	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (!v->called[i])
			visit(v, i);
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].source)
			visit(v, i);
	for (uint32_t i = 0; i < s->n_nodes; i++)
		visit(v, i);
}

/* Each node is right of all its callers; one without callers is right before what it calls.
 */
static void set_layers(struct search *v)
{
	struct sankey *s = v->s;

	for (uint32_t k = v->n_done; k-- > 0;) {
		uint32_t at = v->done[k];

		for (uint32_t i = v->first[at]; i < v->first[at + 1]; i++) {
			const struct sankey_link *l = &s->links[i];

			if (!l->back && s->nodes[l->to].layer <= s->nodes[at].layer)
				s->nodes[l->to].layer = s->nodes[at].layer + 1;
		}
	}
	for (uint32_t n = 0; n < s->n_nodes; n++) {
		uint32_t least = UINT32_MAX;

		for (uint32_t i = v->first[n]; !v->called[n] && i < v->first[n + 1]; i++)
			if (s->nodes[s->links[i].to].layer < least)
				least = s->nodes[s->links[i].to].layer;
		if (least != UINT32_MAX)
			s->nodes[n].layer = least - 1;
	}
	for (uint32_t n = 0; n < s->n_nodes; n++)
		if (s->nodes[n].layer >= s->n_layers)
			s->n_layers = s->nodes[n].layer + 1;
}

static int find_cycles_and_layers(struct sankey *s)
{
	size_t n = s->n_nodes;
	struct search v = { .s = s };
	int err = -ENOMEM;

	v.first = calloc(n + 2, sizeof(*v.first));
	v.next = calloc(n + 1, sizeof(*v.next));
	v.state = calloc(n + 1, sizeof(*v.state));
	v.stack = calloc(n + 1, sizeof(*v.stack));
	v.done = calloc(n + 1, sizeof(*v.done));
	v.called = calloc(n + 1, sizeof(*v.called));
	if (v.first && v.next && v.state && v.stack && v.done && v.called) {
		if (s->n_links)
			qsort(s->links, s->n_links, sizeof(*s->links), by_caller);
		for (size_t i = 0; i < s->n_links; i++) {
			v.first[s->links[i].from + 1]++;
			v.called[s->links[i].to] = true;
		}
		for (size_t i = 0; i < n; i++) {
			v.first[i + 1] += v.first[i];
			v.next[i] = v.first[i];
		}
		visit_all(&v);
		set_layers(&v);
		err = 0;
	}
	free(v.first);
	free(v.next);
	free(v.state);
	free(v.stack);
	free(v.done);
	free(v.called);
	return err;
}

/* Nodes that stand for folded functions: one a column and side. */
static int join_others(struct sankey *s)
{
	uint32_t *now = calloc(s->n_nodes + 1, sizeof(*now)),
		 *seen = calloc(2 * s->n_layers + 1, sizeof(*seen));
	uint32_t n = 0;

	if (!now || !seen) {
		free(now);
		free(seen);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct sankey_node node = s->nodes[i];
		uint32_t *twin = &seen[2 * node.layer + (node.kind == SANKEY_CALLERS)];

		if (node.kind == SANKEY_FUNC || !*twin) {
			if (node.kind != SANKEY_FUNC)
				*twin = n + 1;
			now[i] = n;
			s->nodes[n++] = node;
			continue;
		}
		now[i] = *twin - 1;
		s->nodes[now[i]].in += node.in;
		s->nodes[now[i]].out += node.out;
		s->nodes[now[i]].cut_in += node.cut_in;
		s->nodes[now[i]].cut_out += node.cut_out;
	}
	s->n_nodes = n;
	for (size_t i = 0; i < s->n_links; i++) {
		s->links[i].from = now[s->links[i].from];
		s->links[i].to = now[s->links[i].to];
	}
	free(now);
	free(seen);
	return 0;
}

static int add_routes(struct sankey *s)
{
	for (size_t i = 0; i < s->n_links; i++) {
		struct sankey_link *l = &s->links[i];
		uint32_t from = s->nodes[l->from].layer, to = s->nodes[l->to].layer;

		if (l->back || to <= from + 1)
			continue;
		l->first_route = (uint32_t)s->n_nodes;
		l->n_routes = to - from - 1;
		int err = vec_reserve(&s->nodes, &s->cap_nodes, s->n_nodes + l->n_routes);

		if (err)
			return err;
		for (uint32_t layer = from + 1; layer < to; layer++)
			s->nodes[s->n_nodes++] = (struct sankey_node){
				.kind = SANKEY_ROUTE,
				.layer = layer,
				.in = l->weight,
				.out = l->weight,
			};
	}
	return 0;
}

int sankey_columns(struct sankey *s)
{
	int err = find_cycles_and_layers(s);

	if (!err)
		err = join_others(s);
	return err ? err : add_routes(s);
}

struct sankey_piece *sankey_pieces(const struct sankey *s, size_t *n)
{
	struct sankey_piece *p = calloc(s->n_links + s->n_nodes + 1, sizeof(*p));

	*n = 0;
	for (size_t i = 0; p && i < s->n_links; i++) {
		const struct sankey_link *l = &s->links[i];
		uint32_t at = l->from;

		for (uint32_t r = 0; !l->back && r <= l->n_routes; r++) {
			uint32_t to = r == l->n_routes ? l->to : l->first_route + r;

			p[(*n)++] = (struct sankey_piece){ at, to, l->weight };
			at = to;
		}
	}
	return p;
}

int sankey_by_column(const struct sankey *s, uint32_t **nodes, uint32_t **start)
{
	uint32_t *at = calloc(s->n_nodes + 1, sizeof(*at)),
		 *first = calloc(s->n_layers + 2, sizeof(*first));

	*nodes = at;
	*start = first;
	if (!at || !first)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_nodes; i++)
		first[s->nodes[i].layer + 1]++;
	for (uint32_t l = 0; l < s->n_layers; l++)
		first[l + 1] += first[l];
	for (uint32_t i = 0; i < s->n_nodes; i++)
		at[first[s->nodes[i].layer] + s->nodes[i].rank] = i;
	return 0;
}

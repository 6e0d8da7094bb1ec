// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/goroutine_paths.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 1024

static bool same(const struct gorpath *a, const struct gorpath *b)
{
	return a->goid == b->goid && a->node == b->node && a->image == b->image;
}

/* The slot of key's goroutine, image and node, or an empty one. */
static struct gorpath *slot_of(const struct gorpaths *g, const struct gorpath *key)
{
	uint64_t which = (uint64_t)key->image << 32 | key->node;
	uint64_t h = (key->goid * 0x9e3779b97f4a7c15u ^ which) * 0xbf58476d1ce4e5b9u;
	size_t at = h >> 24 & (g->n_slots - 1);

	while (g->slots[at].calls && !same(&g->slots[at], key))
		at = (at + 1) & (g->n_slots - 1);
	return &g->slots[at];
}

static int grow(struct gorpaths *g)
{
	struct gorpaths old = *g;

	g->n_slots = old.n_slots ? 2 * old.n_slots : FIRST_SLOTS;
	g->slots = calloc(g->n_slots, sizeof(*g->slots));
	if (!g->slots) {
		*g = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.n_slots; i++)
		if (old.slots[i].calls)
			*slot_of(g, &old.slots[i]) = old.slots[i];
	free(old.slots);
	return 0;
}

int gorpaths_add(struct gorpaths *g, const struct call *c)
{
	if (2 * g->n >= g->n_slots && grow(g))
		return -ENOMEM;
	struct gorpath key = { .goid = c->goid, .node = c->path, .image = c->image };
	struct gorpath *s = slot_of(g, &key);

	if (!s->calls) {
		*s = key;
		g->n++;
	}
	s->calls++;
	s->self_ns += c->self_ns;
	return 0;
}

static int by_node(const void *x, const void *y)
{
	const struct gorpath *a = x, *b = y;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return (a->goid > b->goid) - (a->goid < b->goid);
}

void gorpaths_sort(struct gorpaths *g, const struct export_tree *t)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_slots; i++)
		if (g->slots[i].calls) {
			g->slots[n] = g->slots[i];
			g->slots[n].node = t->of_path[g->slots[n].node];
			n++;
		}
	g->n_slots = 0;
	if (n)
		qsort(g->slots, n, sizeof(*g->slots), by_node);
}

void gorpaths_free(struct gorpaths *g)
{
	free(g->slots);
	*g = (struct gorpaths){ 0 };
}

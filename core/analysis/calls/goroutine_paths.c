// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/goroutine_paths.h"

#include <stdlib.h>

#include "analysis/calls/correction.h"
#include "base/compare.h"
#include "base/vec.h"

/* Of call c's path on its goroutine; NULL: none yet. */
static struct goroutine_path *find(const struct goroutine_paths *g, const struct call *c,
				   uint32_t hash)
{
	size_t at;

	for (uint32_t i = hash_index_first(&g->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&g->index, hash, &at)) {
		struct goroutine_path *p = &g->all[i];

		if (p->goid == c->goid && p->node == c->path && p->image == c->image)
			return p;
	}
	return NULL;
}

int goroutine_paths_add(struct goroutine_paths *g, const struct call *c)
{
	uint32_t hash = hash_near(hash_u64_pair(c->goid, c->image), c->path);
	struct goroutine_path *p = find(g, c, hash);

	if (!p) {
		int err = vec_reserve(&g->all, &g->cap, g->n + 1);

		if (!err)
			err = hash_index_put(&g->index, hash, (uint32_t)g->n);
		if (err)
			return err;
		p = &g->all[g->n++];
		*p = (struct goroutine_path){ .goid = c->goid, .node = c->path, .image = c->image };
	}
	p->calls++;
	p->self_ns += c->self_ns;
	if (c->states)
		off_times_add(&p->off, &c->states->self);
	return 0;
}

static int by_node(const void *x, const void *y)
{
	const struct goroutine_path *a = x, *b = y;

	if (a->node != b->node)
		return compare_u64(a->node, b->node);
	return a->image != b->image ? compare_u64(a->image, b->image)
				    : compare_u64(a->goid, b->goid);
}

void goroutine_paths_sort(struct goroutine_paths *g, const struct call_tree *t)
{
	hash_index_free(&g->index);
	for (size_t i = 0; i < g->n; i++) {
		struct goroutine_path *p = &g->all[i];

		p->node = t->node_of[p->node];
		/* probes cost time in which it ran */
		uint64_t off_ns = off_times_sum(&p->off);

		p->self_ns = off_ns +
			     correction_part_run(t->nodes[p->node].stats, p->self_ns - off_ns);
	}
	if (g->n)
		qsort(g->all, g->n, sizeof(*g->all), by_node);
}

void goroutine_paths_free(struct goroutine_paths *g)
{
	free(g->all);
	hash_index_free(&g->index);
	*g = (struct goroutine_paths){ 0 };
}

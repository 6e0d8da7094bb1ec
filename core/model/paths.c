// SPDX-License-Identifier: BSD-2-Clause
#include "model/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define DEFAULT_MAX 1000000u
#define EDGE(pc)    ((pc) | 1ull << 63) /* code addresses have that bit clear */

static uint64_t hash(uint32_t parent, uint32_t func, uint64_t edge)
{
	uint64_t h = ((uint64_t)parent << 32 | func) * 0x9e3779b97f4a7c15ull ^
		     edge * 0xc2b2ae3d27d4eb4full;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

/* The slot that holds the key, or the empty one where it belongs. */
static struct path_slot *slot_of(struct paths *t, uint32_t parent, uint32_t func, uint64_t edge)
{
	for (size_t i = hash(parent, func, edge);; i++) {
		struct path_slot *s = &t->slots[i & (t->n_slots - 1)];

		if (!s->node || (s->parent == parent && s->func == func && s->edge == edge))
			return s;
	}
}

static int slots_grow(struct paths *t)
{
	struct path_slot *old = t->slots;
	size_t n_old = t->n_slots, n = n_old ? 2 * n_old : 1024;
	struct path_slot *fresh = calloc(n, sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	t->slots = fresh;
	t->n_slots = n;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].node)
			*slot_of(t, old[i].parent, old[i].func, old[i].edge) = old[i];
	free(old);
	return 0;
}

static int remember(struct paths *t, uint32_t parent, uint32_t func, uint64_t edge, uint32_t node)
{
	if (t->used + 1 > t->n_slots / 2) {
		int err = slots_grow(t);

		if (err)
			return err;
	}
	struct path_slot *s = slot_of(t, parent, func, edge);

	t->used += !s->node;
	*s = (struct path_slot){ parent, func, edge, node };
	return 0;
}

/* As vec_reserve, but each element is a whole cache line. */
static int hot_reserve(struct paths *t, size_t need)
{
	if (need <= t->cap_hot)
		return 0;
	size_t cap = t->cap_hot ? 2 * t->cap_hot : 64;
	struct path_hot *fresh = aligned_alloc(sizeof(*fresh), cap * sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	if (t->hot)
		memcpy(fresh, t->hot, t->cap_hot * sizeof(*fresh));
	memset(fresh + t->cap_hot, 0, (cap - t->cap_hot) * sizeof(*fresh));
	free(t->hot);
	t->hot = fresh;
	t->cap_hot = cap;
	return 0;
}

static int node_new(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	int err = vec_reserve(&t->nodes, &t->cap, t->n + 1);

	if (!err)
		err = vec_reserve(&t->aux, &t->cap_aux, t->n + 1);
	if (!err)
		err = hot_reserve(t, t->n + 1);
	if (err)
		return err;
	uint32_t id = (uint32_t)t->n++;

	t->nodes[id].parent = parent;
	t->nodes[id].func = func;
	t->nodes[id].max_recursion = 1;
	t->hot[id].func = func;
	t->hot[id].min_ns = UINT64_MAX;
	if (id != parent) {
		t->nodes[id].next_sibling = t->nodes[parent].first_child;
		t->nodes[parent].first_child = id;
	}
	*node = id;
	return 0;
}

int paths_init(struct paths *t, uint32_t max)
{
	uint32_t root;

	*t = (struct paths){ .max = max ? max : DEFAULT_MAX };
	int err = slots_grow(t);

	return err ? err : node_new(t, 0, PATH_ROOT, &root);
}

void paths_free(struct paths *t)
{
	for (size_t i = 0; i < t->n; i++)
		hist_free(&t->nodes[i].stats.hist);
	free(t->nodes);
	free(t->aux);
	free(t->hot);
	free(t->slots);
}

static int special(struct paths *t, uint32_t func, uint32_t *kept, uint32_t *node)
{
	int err = *kept ? 0 : node_new(t, 0, func, kept);

	*node = *kept;
	return err;
}

int paths_timer(struct paths *t, uint32_t *node)
{
	return special(t, PATH_TIMER, &t->timer, node);
}

/* Makes the node, or hands out PATH_OTHER's when the tree is full. */
static int grow(struct paths *t, uint32_t parent, uint32_t func, uint64_t edge, uint32_t *node)
{
	if (t->n - !!t->other - !!t->timer > t->max) {
		t->refused++;
		return special(t, PATH_OTHER, &t->other, node);
	}
	int err = node_new(t, parent, func, node);

	if (!err)
		err = remember(t, parent, func, edge, *node);
	if (err)
		return err;
	struct path_aux *a = &t->aux[*node];
	bool *outermost = &t->hot[*node].outermost;

	*outermost = true;
	if (edge) {
		t->nodes[*node].go_edge = true;
		t->nodes[*node].go_pc = edge & ~EDGE(0);
		a->go_up = *node;
		return 0;
	}
	a->go_up = t->aux[parent].go_up;
	a->outer = t->hot[parent].outermost ? parent : t->aux[parent].outer;
	/* Steps over first occurrences only: as many as the chain has distinct functions. */
	for (uint32_t up = a->outer; up && *outermost; up = t->aux[up].outer)
		*outermost = t->nodes[up].func != func;
	return 0;
}

int paths_find(struct paths *t, uint32_t parent, uint32_t func, uint32_t *node)
{
	if (parent && parent == t->other) {
		*node = parent;
		return 0;
	}
	struct path_slot *s = slot_of(t, parent, func, 0);

	if (s->node) {
		*node = s->node;
	} else {
		int err = grow(t, parent, func, 0, node);

		if (err || *node == t->other)
			return err;
	}
	uint32_t last = t->hot[parent].last_child;

	if (last)
		t->hot[last].then = *node;
	t->hot[parent].last_child = *node;
	return 0;
}

int paths_go(struct paths *t, uint32_t parent, uint32_t func, uint64_t pc, uint32_t *node)
{
	uint64_t edge = EDGE(pc);

	if (parent && parent == t->other) {
		*node = parent;
		return 0;
	}
	struct path_slot *s = slot_of(t, parent, func, edge);

	if (s->node) {
		*node = s->node;
		return 0;
	}
	for (uint32_t up = t->aux[parent].go_up; up; up = t->aux[t->nodes[up].parent].go_up)
		if (t->nodes[up].func == func && EDGE(t->nodes[up].go_pc) == edge) {
			*node = up;
			/* Once found, found at once; no more such notes than nodes. */
			return t->used < 2 * (size_t)t->max ? remember(t, parent, func, edge, up)
							    : 0;
		}
	return grow(t, parent, func, edge, node);
}

void paths_settle(struct paths *t)
{
	for (size_t i = 1; i < t->n; i++) {
		const struct path_hot *h = &t->hot[i];
		struct call_stats *st = &t->nodes[i].stats;

		st->calls += h->finished;
		st->finished += h->finished;
		st->total_ns += h->sum_ns;
		st->self_ns += h->self_ns;
		st->sum_ns += h->sum_ns;
		st->min_ns = h->finished ? h->min_ns : 0;
		st->max_ns = h->max_ns;
	}
}

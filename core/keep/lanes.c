// SPDX-License-Identifier: BSD-2-Clause
#include "keep/lanes.h"

#include <stdlib.h>

#include "base/vec.h"

void lanes_lose(struct lanes *t)
{
	t->losses++;
	t->recent = NULL;
}

static struct lane *found(struct lanes *t, struct lane *l)
{
	if (l->losses != t->losses) {
		l->losses = t->losses;
		l->state = STATE_UNKNOWN;
		l->lost = true;
	}
	return t->recent = l;
}

struct lane *lanes_find(struct lanes *t, uint64_t id)
{
	size_t at;

	if (t->recent && t->recent->id == id)
		return t->recent;
	for (uint32_t i = hash_index_first(&t->by_id, hash_u64(id), &at); i != HASH_NONE;
	     i = hash_index_next(&t->by_id, hash_u64(id), &at))
		if (t->all[i]->id == id)
			return found(t, t->all[i]);
	return NULL;
}

struct lane *lanes_get(struct lanes *t, uint64_t id)
{
	struct lane *l = lanes_find(t, id);

	if (l)
		return l;
	l = calloc(1, sizeof(*l));
	if (!l || vec_reserve(&t->all, &t->cap, t->n + 1) ||
	    hash_index_put(&t->by_id, hash_u64(id), (uint32_t)t->n)) {
		free(l);
		return NULL;
	}
	l->id = id;
	l->losses = t->losses;
	l->index = (uint32_t)t->n;
	t->all[t->n++] = l;
	return t->recent = l;
}

static void free_lane(struct lane *l)
{
	free(l->frames);
	free(l);
}

void lanes_remove(struct lanes *t, struct lane *l)
{
	struct lane *last = t->all[--t->n];

	hash_index_remove(&t->by_id, hash_u64(l->id), l->index);
	if (last != l) {
		hash_index_move(&t->by_id, hash_u64(last->id), last->index, l->index);
		last->index = l->index;
		t->all[l->index] = last;
	}
	t->recent = NULL;
	free_lane(l);
}

void lanes_free(struct lanes *t)
{
	for (size_t i = 0; i < t->n; i++)
		free_lane(t->all[i]);
	free(t->all);
	hash_index_free(&t->by_id);
}

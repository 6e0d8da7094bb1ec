// SPDX-License-Identifier: BSD-2-Clause
#include "keep/pending_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pending_stacks_lose(struct pending_stacks *t)
{
	t->losses++;
	memset(t->recent, 0, sizeof(t->recent));
}

static inline void pair_on_found(struct pending_stacks *t, struct pending_stack *l)
{
	if (l->losses == t->losses)
		return;
	l->losses = t->losses;
	l->state = STATE_UNKNOWN;
	l->lost = true;
}

#define PAIR_STACK  struct pending_stack
#define PAIR_STACKS struct pending_stacks
#define PAIR_ID(l)  ((l)->id)
#include "pair/stacks.h"

struct pending_stack *pending_stacks_find(struct pending_stacks *t, uint64_t id)
{
	return pair_stacks_find(t, id);
}

struct pending_stack *pending_stacks_make(struct pending_stacks *t, uint64_t id)
{
	struct pending_stack *l = pending_stacks_find(t, id);

	if (l)
		return l;
	l = calloc(1, sizeof(*l));
	if (l)
		l->id = id;
	if (!l || pair_stacks_add(t, l)) {
		free(l);
		errno = ENOMEM;
		return NULL;
	}
	l->losses = t->losses;
	return l;
}

static void free_lane(struct pending_stack *l)
{
	free(l->frames);
	free(l);
}

void pending_stacks_remove(struct pending_stacks *t, struct pending_stack *l)
{
	pair_stacks_remove(t, l);
	free_lane(l);
}

void pending_stacks_free(struct pending_stacks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free_lane(t->all[i]);
	free(t->all);
	hash_index_free(&t->by_id);
}

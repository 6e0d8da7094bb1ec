// SPDX-License-Identifier: BSD-2-Clause
#include "keep/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lanes_lose(struct lanes *t)
{
	t->losses++;
	memset(t->recent, 0, sizeof(t->recent));
}

static inline void pair_on_found(struct lanes *t, struct lane *l)
{
	if (l->losses == t->losses)
		return;
	l->losses = t->losses;
	l->state = STATE_UNKNOWN;
	l->lost = true;
}

#define PAIR_STACK  struct lane
#define PAIR_STACKS struct lanes
#define PAIR_ID(l)  ((l)->id)
#include "pair/stacks.h"

struct lane *lanes_find(struct lanes *t, uint64_t id)
{
	return pair_stacks_find(t, id);
}

struct lane *lanes_make(struct lanes *t, uint64_t id)
{
	struct lane *l = lanes_find(t, id);

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

static void free_lane(struct lane *l)
{
	free(l->frames);
	free(l);
}

void lanes_remove(struct lanes *t, struct lane *l)
{
	pair_stacks_remove(t, l);
	free_lane(l);
}

void lanes_free(struct lanes *t)
{
	for (size_t i = 0; i < t->n; i++)
		free_lane(t->all[i]);
	free(t->all);
	hash_index_free(&t->by_id);
}

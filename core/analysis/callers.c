// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

#define FIRST_SLOTS 64

static struct caller_stack *slot_of(const struct callers *t, uint64_t key, bool system)
{
	size_t at = (key * 2 + system) * 0x9e3779b97f4a7c15u >> 32 & (t->n_slots - 1);

	while (t->slots[at].ids && (t->slots[at].key != key || t->slots[at].system != system))
		at = (at + 1) & (t->n_slots - 1);
	return &t->slots[at];
}

/* A table of those that have calls open still, with room for as many more. */
static int sweep(struct callers *t, uint64_t now_ns)
{
	struct callers fresh = { .n_slots = FIRST_SLOTS };

	for (size_t i = 0; i < t->n_slots; i++)
		fresh.n += t->slots[i].ids && t->slots[i].end_ns >= now_ns;
	while (fresh.n_slots < 4 * fresh.n)
		fresh.n_slots *= 2;
	fresh.slots = calloc(fresh.n_slots, sizeof(*fresh.slots));
	if (!fresh.slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_slots; i++) {
		struct caller_stack *s = &t->slots[i];

		if (s->ids && s->end_ns >= now_ns)
			*slot_of(&fresh, s->key, s->system) = *s;
		else
			free(s->ids);
	}
	free(t->slots);
	*t = fresh;
	return 0;
}

int callers_put(struct callers *t, const struct call *c, uint64_t id, uint64_t *caller)
{
	uint64_t key = c->system ? c->tid : c->goid;

	if (2 * t->n >= t->n_slots && sweep(t, c->start_ns))
		return -ENOMEM;
	struct caller_stack *s = slot_of(t, key, c->system);
	bool fresh = !s->ids;

	if (vec_reserve(&s->ids, &s->cap, (size_t)c->level + 1))
		return -ENOMEM;
	if (fresh) {
		s->key = key;
		s->system = c->system;
		t->n++;
	}
	/* The outermost call of a goroutine lasts as long as all in it. */
	if (!c->level || c->end_ns > s->end_ns)
		s->end_ns = c->end_ns;
	s->ids[c->level] = id;
	*caller = c->level ? s->ids[c->level - 1] : 0;
	return 0;
}

void callers_free(struct callers *t)
{
	for (size_t i = 0; i < t->n_slots; i++)
		free(t->slots[i].ids);
	free(t->slots);
	*t = (struct callers){ 0 };
}

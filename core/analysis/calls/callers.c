// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/callers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

#define FIRST_SWEEP 32

static uint32_t hash_of(uint64_t key, bool system)
{
	return hash_u64(key << 1 | system);
}

/* Forgets those that have no call open any more. 0 or -ENOMEM */
static int sweep(struct callers *t, uint64_t now_ns)
{
	size_t n = 0;
	int err = 0;

	hash_index_free(&t->index);
	for (size_t i = 0; i < t->n; i++) {
		struct caller_stack s = t->stacks[i];

		if (s.end_ns < now_ns) {
			free(s.ids);
			continue;
		}
		if (!err)
			err = hash_index_put(&t->index, hash_of(s.key, s.system), (uint32_t)n);
		t->stacks[n++] = s;
	}
	t->n = n;
	t->sweep_at = 2 * n > FIRST_SWEEP ? 2 * n : FIRST_SWEEP;
	return err;
}

static struct caller_stack *find(const struct callers *t, uint64_t key, bool system)
{
	uint32_t hash = hash_of(key, system);
	size_t at;

	for (uint32_t i = hash_index_first(&t->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->index, hash, &at))
		if (t->stacks[i].key == key && t->stacks[i].system == system)
			return &t->stacks[i];
	return NULL;
}

/* A stack without calls. NULL: no memory */
static struct caller_stack *add(struct callers *t, uint64_t key, bool system)
{
	if (vec_reserve(&t->stacks, &t->cap, t->n + 1) ||
	    hash_index_put(&t->index, hash_of(key, system), (uint32_t)t->n))
		return NULL;
	t->stacks[t->n] = (struct caller_stack){ .key = key, .system = system };
	return &t->stacks[t->n++];
}

int callers_put(struct callers *t, const struct call *c, uint64_t id, uint64_t *caller)
{
	uint64_t key = c->system ? c->tid : c->goid;
	struct caller_stack *s = find(t, key, c->system);

	if (!s && t->n >= t->sweep_at && sweep(t, c->start_ns))
		return -ENOMEM;
	if (!s)
		s = add(t, key, c->system);
	if (!s || vec_reserve(&s->ids, &s->cap, (size_t)c->level + 1))
		return -ENOMEM;
	/* The outermost call of a goroutine lasts as long as all in it. */
	if (!c->level || c->end_ns > s->end_ns)
		s->end_ns = c->end_ns;
	s->ids[c->level] = id;
	*caller = c->level ? s->ids[c->level - 1] : 0;
	return 0;
}

void callers_free(struct callers *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->stacks[i].ids);
	free(t->stacks);
	hash_index_free(&t->index);
	*t = (struct callers){ 0 };
}

// SPDX-License-Identifier: BSD-2-Clause
#include "keep/open_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "keep/open_states.h"
#include "trace/keys.h"

void open_stacks_settle(struct open_stacks *t, struct open_stack *s)
{
	if (s->losses == t->losses)
		return;
	s->losses = t->losses;
	open_stacks_doubt(s);
	if (t->states_lost)
		open_states_lost_from(s, t->lost_ns);
}

static inline void pair_on_found(struct open_stacks *t, struct open_stack *s)
{
	open_stacks_settle(t, s);
}

#define PAIR_STACK  struct open_stack
#define PAIR_STACKS struct open_stacks
#define PAIR_ID(s)  ((s)->id)
#include "pair/stacks.h"

struct open_stack *open_stacks_find(struct open_stacks *t, uint64_t id)
{
	return pair_stacks_find(t, id);
}

struct open_stack *open_calls_find(struct open_calls *o, bool system, uint64_t id)
{
	return open_stacks_find(open_table(o, system), id);
}

struct open_stack *open_stacks_make(struct open_calls *o, bool system, uint64_t id, uint64_t ts_ns)
{
	struct open_stacks *t = open_table(o, system);
	struct open_stack *s = open_stacks_find(t, id);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (s)
		s->id = id;
	if (!s || pair_stacks_add(t, s)) {
		free(s);
		errno = ENOMEM;
		return NULL;
	}
	s->system = system;
	s->losses = t->losses;
	open_states_begin(o, s, ts_ns);
	o->bytes += sizeof(*s);
	return s;
}

void open_calls_drop(struct open_calls *o, struct open_stack *s)
{
	for (size_t i = 0; i < s->n; i++)
		o->pair.n_released_open -= !!(s->frames[i].flags & PAIR_RELEASED);
	pair_stacks_remove(open_table(o, s->system), s);
	o->bytes -= sizeof(*s) + s->cap * sizeof(*s->frames);
	free(s->frames);
	free(s);
}

static void drop_table(struct open_calls *o, struct open_stacks *t)
{
	while (t->n)
		open_calls_drop(o, t->all[t->n - 1]);
}

void open_stacks_drop_all(struct open_calls *o)
{
	drop_table(o, &o->goroutines);
	drop_table(o, &o->threads);
}

void open_calls_sweep(struct open_calls *o, uint64_t before_ns)
{
	struct open_stacks *t = &o->goroutines;

	for (size_t i = t->n; i-- > 0;)
		if (!t->all[i]->n && t->all[i]->base == OPEN_OUT && t->all[i]->last_ns < before_ns)
			open_calls_drop(o, t->all[i]);
}

int open_stacks_grow(struct open_calls *o, struct open_stack *s)
{
	size_t before = s->cap;
	int err = vec_reserve(&s->frames, &s->cap, s->n + 1);

	o->bytes += (s->cap - before) * sizeof(*s->frames);
	return err;
}

int open_calls_init(struct open_calls *o, const struct trace_info *info)
{
	const char *states = trace_info_get(info, KEY_STATES);

	o->info = info;
	o->states = states && !strcmp(states, "1");
	return pair_init(&o->pair, info);
}

void open_calls_free(struct open_calls *o)
{
	open_stacks_drop_all(o);
	for (int i = 0; i < 2; i++) {
		struct open_stacks *t = open_table(o, i);

		free(t->all);
		hash_index_free(&t->by_id);
		*t = (struct open_stacks){ 0 };
	}
	pair_free(&o->pair);
}

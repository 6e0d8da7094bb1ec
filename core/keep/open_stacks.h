/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks, found by number. Private to keep/open_*.c. */
#ifndef GOTRACE_OPEN_STACKS_H
#define GOTRACE_OPEN_STACKS_H

#include "keep/open_calls.h"

static inline struct open_stacks *open_table(struct open_calls *o, bool system)
{
	return system ? &o->threads : &o->goroutines;
}

struct open_stack *open_stacks_find(struct open_stacks *t, uint64_t id); /* NULL when not there */
/* Finds the stack with that number, or makes it at ts_ns. Returns NULL with errno ENOMEM. */
struct open_stack *open_stacks_make(struct open_calls *o, bool system, uint64_t id, uint64_t ts_ns);

static inline struct open_stack *open_stacks_get(struct open_calls *o, bool system, uint64_t id,
						 uint64_t ts_ns)
{
	struct open_stack *s = *PAIR_RECENT(open_table(o, system), id);

	return s && s->id == id ? s : open_stacks_make(o, system, id, ts_ns);
}

void open_stacks_drop_all(struct open_calls *o);
/* Applies to s the losses of all stacks of t since s was last found. */
void open_stacks_settle(struct open_stacks *t, struct open_stack *s);
/* Marks all calls that are open on s, because any of them may be over. */
static inline void open_stacks_doubt(struct open_stack *s)
{
	for (; s->n_doubted < s->n; s->n_doubted++)
		s->frames[s->n_doubted].flags |= PAIR_SUSPECT;
}

/* open_losses.c: applies EV_LOSS, whose last event was at last_ns. Returns 0 or -ENOMEM. */
int open_losses_apply(struct open_calls *o, const struct event *e, uint64_t last_ns);
/* Makes room for one more call. Returns 0 or -ENOMEM. */
int open_stacks_grow(struct open_calls *o, struct open_stack *s);

#endif

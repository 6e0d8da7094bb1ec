/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to keep/open_*.c: the stacks, found by number. */
#ifndef GOTRACE_OPEN_STACKS_H
#define GOTRACE_OPEN_STACKS_H

#include "keep/open_calls.h"

static inline struct open_stacks *open_table(struct open_calls *o, bool system)
{
	return system ? &o->threads : &o->goroutines;
}

static inline struct open_stack **open_recent(struct open_stacks *t, uint64_t id)
{
	return &t->recent[id * 0x9e3779b97f4a7c15ull >> 58];
}

struct open_stack *open_stacks_find(struct open_stacks *t, uint64_t id); /* NULL: not there */
/* Finds or makes; NULL: no memory. */
struct open_stack *open_stacks_make(struct open_calls *o, bool system, uint64_t id);

static inline struct open_stack *open_stacks_get(struct open_calls *o, bool system, uint64_t id)
{
	struct open_stack *s = *open_recent(open_table(o, system), id);

	return s && s->id == id ? s : open_stacks_make(o, system, id);
}

void open_stacks_drop_all(struct open_calls *o);
/* Room for one more call. 0 or -ENOMEM. */
int open_stacks_grow(struct open_calls *o, struct open_stack *s);

#endif

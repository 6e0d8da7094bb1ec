// SPDX-License-Identifier: BSD-2-Clause
/* Counts of open calls by function, for stacks whose paths were folded away. */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

static struct open_func *slot_of(const struct open_funcs *o, uint32_t func)
{
	size_t mask = o->n_slots - 1;

	for (size_t i = func * 0x9e3779b1u;; i++) {
		struct open_func *f = &o->slots[i & mask];

		if (f->func == func + 1 || !f->func)
			return f;
	}
}

static int grow(struct open_funcs *o)
{
	struct open_funcs fresh = { .n_slots = o->n_slots ? 2 * o->n_slots : 64, .used = o->used };

	fresh.slots = calloc(fresh.n_slots, sizeof(*fresh.slots));
	if (!fresh.slots)
		return -ENOMEM;
	for (size_t i = 0; i < o->n_slots; i++)
		if (o->slots[i].func)
			*slot_of(&fresh, o->slots[i].func - 1) = o->slots[i];
	free(o->slots);
	*o = fresh;
	return 0;
}

int open_funcs_add(struct open_funcs *o, uint32_t func, int by)
{
	if (o->used + 1 > o->n_slots / 2) {
		int err = grow(o);

		if (err)
			return err;
	}
	struct open_func *f = slot_of(o, func);

	o->used += !f->func;
	f->func = func + 1;
	f->count += (uint32_t)by;
	return 0;
}

uint32_t open_funcs_count(const struct open_funcs *o, uint32_t func)
{
	return o->slots ? slot_of(o, func)->count : 0;
}

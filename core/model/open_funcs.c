// SPDX-License-Identifier: BSD-2-Clause
/* Counts of open calls by function, for stacks whose paths were folded away. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

static struct open_func *find(const struct open_funcs *o, uint32_t func)
{
	size_t at;

	for (uint32_t i = hash_index_first(&o->by_func, hash_u64(func), &at); i != HASH_NONE;
	     i = hash_index_next(&o->by_func, hash_u64(func), &at))
		if (o->funcs[i].func == func)
			return &o->funcs[i];
	return NULL;
}

int open_funcs_add(struct open_funcs *o, uint32_t func, int by)
{
	struct open_func *f = find(o, func);

	if (!f) {
		int err = vec_reserve(&o->funcs, &o->cap, o->n + 1);

		if (!err)
			err = hash_index_put(&o->by_func, hash_u64(func), (uint32_t)o->n);
		if (err)
			return err;
		f = &o->funcs[o->n++];
		*f = (struct open_func){ .func = func };
	}
	f->count += (uint32_t)by;
	return 0;
}

uint32_t open_funcs_count(const struct open_funcs *o, uint32_t func)
{
	const struct open_func *f = find(o, func);

	return f ? f->count : 0;
}

void open_funcs_free(struct open_funcs *o)
{
	free(o->funcs);
	hash_index_free(&o->by_func);
	*o = (struct open_funcs){ 0 };
}

// SPDX-License-Identifier: BSD-2-Clause
/* Waits by path, function and reason. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"
#include "model/places.h"

static uint32_t waits_hash(const struct path_waits *what)
{
	return hash_u64_pair((uint64_t)what->path << 32 | what->func,
			     what->reason << 1 | what->held);
}

static struct path_waits *waits_find(const struct waits *w, const struct path_waits *what)
{
	uint32_t hash = waits_hash(what);
	size_t at;

	for (uint32_t i = hash_index_first(&w->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&w->index, hash, &at)) {
		struct path_waits *x = &w->all[i];

		if (x->path == what->path && x->func == what->func && x->reason == what->reason &&
		    x->held == what->held)
			return x;
	}
	return NULL;
}

int waits_add(struct waits *w, const struct path_waits *what)
{
	struct path_waits *x = waits_find(w, what);

	if (x) {
		x->ns += what->ns;
		x->n += what->n;
		return 0;
	}
	int err = vec_reserve(&w->all, &w->cap, w->n + 1);

	if (!err)
		err = hash_index_put(&w->index, waits_hash(what), (uint32_t)w->n);
	if (!err)
		w->all[w->n++] = *what;
	return err;
}

void waits_take(struct waits *w, const struct path_waits *what, uint64_t ns)
{
	struct path_waits *x = waits_find(w, what);

	if (!x)
		return;
	x->ns -= ns < x->ns ? ns : x->ns;
	x->n -= what->n < x->n ? what->n : x->n;
}

uint64_t model_wait_count(const struct model *m, const struct path_waits *what)
{
	const struct path_waits *x = waits_find(&m->waits, what);

	return x ? x->n : 0;
}

void waits_free(struct waits *w)
{
	free(w->all);
	hash_index_free(&w->index);
	*w = (struct waits){ 0 };
}

const struct path_waits *model_waits(const struct model *m, size_t *n)
{
	*n = m->waits.n;
	return m->waits.n ? m->waits.all : NULL;
}

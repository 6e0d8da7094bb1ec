// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/doubles.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

static struct double_thread *find(struct doubles *d, uint32_t tid)
{
	size_t at;

	for (uint32_t i = hash_index_first(&d->by_tid, hash_u64(tid), &at); i != HASH_NONE;
	     i = hash_index_next(&d->by_tid, hash_u64(tid), &at))
		if (d->threads[i].tid == tid)
			return &d->threads[i];
	if (vec_reserve(&d->threads, &d->cap, d->n + 1) ||
	    hash_index_put(&d->by_tid, hash_u64(tid), (uint32_t)d->n))
		return NULL;
	d->threads[d->n] = (struct double_thread){ .tid = tid };
	return &d->threads[d->n++];
}

int doubles_second(struct doubles *d, const struct event *ev, bool old)
{
	struct double_thread *t = find(d, ev->tid);

	if (!t)
		return -ENOMEM;
	bool second = old && t->waits && t->site == ev->site;

	t->waits = !old;
	t->site = ev->site;
	return second;
}

void doubles_free(struct doubles *d)
{
	free(d->threads);
	hash_index_free(&d->by_tid);
	*d = (struct doubles){ 0 };
}

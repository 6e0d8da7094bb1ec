// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/duplicate_hits.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

static struct double_thread *find(struct duplicate_hits *d, uint32_t tid)
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

int duplicate_hits_second(struct duplicate_hits *d, const struct event *ev, bool old)
{
	struct double_thread *t = find(d, ev->tid);

	if (!t)
		return -ENOMEM;
	bool second = old && t->waits && t->site == ev->site;

	t->waits = !old;
	t->site = ev->site;
	return second;
}

void duplicate_hits_free(struct duplicate_hits *d)
{
	free(d->threads);
	hash_index_free(&d->by_tid);
	*d = (struct duplicate_hits){ 0 };
}

// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/ring_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

int merge_init(struct merge *m, unsigned n_queues)
{
	m->queues = calloc(n_queues ? n_queues : 1, sizeof(*m->queues));
	m->n_queues = n_queues;
	return m->queues ? 0 : -ENOMEM;
}

void merge_free(struct merge *m)
{
	for (unsigned i = 0; m->queues && i < m->n_queues; i++)
		free(m->queues[i].events);
	free(m->queues);
	*m = (struct merge){ 0 };
}

int merge_add(struct merge *m, unsigned queue, const struct event_ext *ev)
{
	struct merge_queue *q = &m->queues[queue];

	if (q->n == q->cap && q->head) { /* what was handed out makes room */
		memmove(q->events, q->events + q->head, (q->n - q->head) * sizeof(*q->events));
		q->n -= q->head;
		q->head = 0;
	}
	int err = vec_reserve(&q->events, &q->cap, q->n + 1);
	if (err)
		return err;
	size_t at = q->n++;
	while (at > q->head && q->events[at - 1].h.ts_ns > ev->h.ts_ns) {
		q->events[at] = q->events[at - 1];
		at--;
	}
	q->events[at] = *ev;
	return 0;
}

/* The queue whose first event is the oldest, or NULL: a scan, as CPUs are few. */
static struct merge_queue *oldest(const struct merge *m)
{
	struct merge_queue *best = NULL;

	for (unsigned i = 0; i < m->n_queues; i++) {
		struct merge_queue *q = &m->queues[i];

		if (q->head < q->n &&
		    (!best || q->events[q->head].h.ts_ns < best->events[best->head].h.ts_ns))
			best = q;
	}
	return best;
}

uint64_t merge_first_ns(const struct merge *m)
{
	const struct merge_queue *q = oldest(m);

	return q ? q->events[q->head].h.ts_ns : UINT64_MAX;
}

/* The time up to which `q` may be emptied before another queue's turn comes. */
static uint64_t next_other(const struct merge *m, const struct merge_queue *q, uint64_t limit)
{
	for (unsigned i = 0; i < m->n_queues; i++) {
		const struct merge_queue *o = &m->queues[i];

		if (o != q && o->head < o->n && o->events[o->head].h.ts_ns < limit)
			limit = o->events[o->head].h.ts_ns;
	}
	return limit;
}

int merge_until(struct merge *m, uint64_t watermark_ns,
		int (*fn)(void *ctx, const struct event_ext *ev), void *ctx)
{
	struct merge_queue *q;

	while ((q = oldest(m)) && q->events[q->head].h.ts_ns < watermark_ns) {
		uint64_t limit = next_other(m, q, watermark_ns);

		do {
			int err = fn(ctx, &q->events[q->head++]);
			if (err)
				return err;
		} while (q->head < q->n && q->events[q->head].h.ts_ns < limit);
		if (q->head == q->n)
			q->head = q->n = 0;
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "keep/min_duration.h"

#include <stdlib.h>
#include <string.h>

#include "keep/min_duration_internal.h"
#include "trace/keys.h"

static int take_event(void *ctx, const struct event_ext *ev)
{
	struct min_duration *m = ctx;

	if (ev->h.ts_ns > m->last_ns)
		m->last_ns = ev->h.ts_ns;
	min_duration_event(m, &(struct pending_now){ .ev = ev });
	return m->queue.err;
}

static int take_many(void *ctx, const struct event *ev, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = take_event(ctx, &(struct event_ext){ .h = ev[i] });
	return err;
}

static int take_round(void *ctx, uint64_t now_ns)
{
	struct min_duration *m = ctx;
	int err = pending_drain(&m->queue, now_ns);

	return err || !m->queue.next->round ? err
					    : m->queue.next->round(m->queue.next->ctx, now_ns);
}

static int take_end(void *ctx, struct trace_info *info_end)
{
	struct min_duration *m = ctx;
	int err = pending_finish(&m->queue, m->last_ns);

	return err || !m->queue.next->finish ? err
					     : m->queue.next->finish(m->queue.next->ctx, info_end);
}

struct trace_sink min_duration_sink(struct min_duration *m)
{
	return (struct trace_sink){ .event = take_event,
				    .many = take_many,
				    .round = take_round,
				    .finish = take_end,
				    .ctx = m };
}

struct min_duration *min_duration_new(const struct trace_info *info, uint64_t min_ns,
				      const struct trace_sink *next)
{
	struct min_duration *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	const char *states = trace_info_get(info, KEY_STATES);

	m->states = states && !strcmp(states, "1");
	pending_init(&m->queue, min_ns, next);
	if (!pair_init(&m->pair, info))
		return m;
	min_duration_free(m);
	return NULL;
}

void min_duration_free(struct min_duration *m)
{
	if (!m)
		return;
	pending_stacks_free(&m->goroutines);
	pending_stacks_free(&m->threads);
	pending_free(&m->queue);
	pair_free(&m->pair);
	free(m);
}

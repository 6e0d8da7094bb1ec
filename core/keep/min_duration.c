// SPDX-License-Identifier: BSD-2-Clause
#include "keep/min_duration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "keep/min_duration_internal.h"
#include "trace/keys.h"

/* ---- goroutines */

/* All that is open there ends, by the event or with `by` NULL without one. */
static void end_all(struct min_duration *m, struct lane *l, const struct held_now *now,
		    struct held_now *by)
{
	min_duration_end_stop(m, l, now);
	while (l->n)
		min_duration_pop(m, l, now, by);
	if (l->life)
		held_end(&m->queue, l->life, now->ev->h.ts_ns, by, NULL);
	l->life = NULL;
}

static void create(struct min_duration *m, struct held_now *now)
{
	uint64_t goid = now->ev->arg[0], by = now->ev->h.goid;
	struct lane *creator = by && !(now->ev->h.flags & EVF_BEFORE)
				       ? lanes_find(&m->goroutines, by)
				       : NULL,
		    *child = lanes_find(&m->goroutines, goid);

	if (child && goid != by) { /* another one's, whose end was lost */
		end_all(m, child, now, NULL);
		lanes_remove(&m->goroutines, child);
	}
	child = min_duration_lane(m, false, goid);
	if (child && child != creator)
		child->life = held_begin(&m->queue, now,
					 !creator     ? NULL
					 : creator->n ? top(creator)
						      : creator->life);
	if (creator)
		min_duration_ran(m, creator, &now->ev->h);
	if (m->states && child && child->life && child != creator) {
		const struct event_ext untold = min_duration_untold(goid, &now->ev->h);

		child->state = now->ev->h.flags & EVF_BEFORE ? STATE_UNKNOWN : STATE_RUNNABLE;
		held_note_more(&m->queue, child->life, &(struct held_now){ .ev = &untold });
	}
}

static void end(struct min_duration *m, struct held_now *now)
{
	struct lane *l = lanes_find(&m->goroutines, now->ev->h.goid);

	if (!l)
		return;
	/* It began before the recording did, so that it lived long. */
	if (!l->life)
		held_keep_event(&m->queue, now);
	end_all(m, l, now, now);
	lanes_remove(&m->goroutines, l);
}

static void take_goroutine_event(struct min_duration *m, struct held_now *now)
{
	struct lane *l = min_duration_lane(m, false, now->ev->h.goid);

	if (!l)
		return;
	min_duration_ran(m, l, &now->ev->h);
	if (now->ev->h.kind == EV_RESUME) {
		if (l->stop)
			held_note(&m->queue, l->stop, now);
		min_duration_resumed(m, l, now->ev);
		return;
	}
	min_duration_end_stop(m, l, now);
	min_duration_pop_deeper(m, l, now->ev->h.depth, now,
				now->ev->h.kind == EV_UNWIND ? now : NULL);
	if (now->ev->h.kind == EV_STOP)
		l->stop = held_begin(&m->queue, now, l->n ? top(l) : l->life);
}

static void end_calls(struct min_duration *m, struct lanes *t, struct held_now *now)
{
	for (size_t i = 0; i < t->n; i++) {
		min_duration_end_stop(m, t->all[i], now);
		while (t->all[i]->n)
			min_duration_pop(m, t->all[i], now, now);
	}
}

static void end_lanes(struct min_duration *m, struct lanes *t, struct held_now *now)
{
	while (t->n) {
		end_all(m, t->all[t->n - 1], now, now);
		lanes_remove(t, t->all[t->n - 1]);
	}
}

/* ---- all events */

static void release_on(struct min_duration *m, struct lanes *t, struct held_now *now, uint32_t func)
{
	for (size_t k = 0; k < t->n; k++) {
		struct lane *l = t->all[k];

		for (size_t i = 0; i < l->n; i++) {
			struct held *h = l->calls[i];

			h->released |= (h->tailed ? h->target : h->func) == func;
		}
		if (l->n && top(l)->released)
			min_duration_pop(m, l, now, now);
	}
}

static void release(struct min_duration *m, struct held_now *now)
{
	const struct event *e = &now->ev->h;
	uint32_t func = e->site < m->info->n_sites ? m->info->sites[e->site].func : TRACE_NONE;

	if (func >= m->info->n_funcs)
		return;
	m->released[func] = true;
	release_on(m, &m->goroutines, now, func);
	release_on(m, &m->threads, now, func);
}

/* What was left out of the trace on purpose. */
static void take_window(struct min_duration *m, struct held_now *now)
{
	const struct event *e = &now->ev->h;
	bool system = e->flags & EVF_SYSTEM;
	struct lane *l;

	switch (now->ev->arg[0]) {
	case WINDOW_BEGIN: /* what is open is told again */
	case WINDOW_END:
		held_keep_event(&m->queue, now);
		end_calls(m, &m->goroutines, now);
		end_calls(m, &m->threads, now);
		break;
	case WINDOW_OVER:
		l = lanes_find(system ? &m->threads : &m->goroutines, system ? e->tid : e->goid);
		if (!l)
			return;
		min_duration_end_stop(m, l, now);
		min_duration_pop_deeper(m, l, e->depth, now, now);
		while (l->n && top(l)->depth == e->depth)
			min_duration_pop(m, l, now, now);
		break;
	case WINDOW_LEFT_OUT: /* of these, only how many there were matters */
		break;
	default:
		held_keep_event(&m->queue, now);
	}
}

static void take_rare(struct min_duration *m, struct held_now *now)
{
	const struct event *e = &now->ev->h;

	held_keep_event(&m->queue, now);
	if (e->kind == EV_IMAGE) {
		end_lanes(m, &m->goroutines, now);
		end_lanes(m, &m->threads, now);
	}
	if (e->kind == EV_RELEASED)
		release(m, now);
	if (e->kind == EV_LOSS)
		min_duration_lost(m, e);
}

static int take_event(void *ctx, const struct event_ext *ev)
{
	struct min_duration *m = ctx;
	struct held_now now = { .ev = ev };

	if (ev->h.ts_ns > m->last_ns)
		m->last_ns = ev->h.ts_ns;
	switch (ev->h.kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		min_duration_call(m, &now);
		break;
	case EV_STOP:
	case EV_RESUME:
	case EV_UNWIND:
		take_goroutine_event(m, &now);
		break;
	case EV_CREATE:
		create(m, &now);
		break;
	case EV_END:
		end(m, &now);
		break;
	case EV_WINDOW:
		take_window(m, &now);
		break;
	case EV_STATE:
	case EV_WAKE:
		min_duration_state(m, &now);
		break;
	default:
		take_rare(m, &now);
	}
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
	int err = held_drain(&m->queue, now_ns);

	return err || !m->queue.next->round ? err
					    : m->queue.next->round(m->queue.next->ctx, now_ns);
}

static int take_end(void *ctx, struct trace_info *info_end)
{
	struct min_duration *m = ctx;
	int err = held_finish(&m->queue, m->last_ns);

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

	m->info = info;
	m->states = states && !strcmp(states, "1");
	held_init(&m->queue, min_ns, next);
	m->released = calloc(info->n_funcs + 1, sizeof(*m->released));
	if (m->released)
		return m;
	min_duration_free(m);
	return NULL;
}

size_t min_duration_most(const struct min_duration *m)
{
	return m->queue.most;
}

void min_duration_free(struct min_duration *m)
{
	if (!m)
		return;
	lanes_free(&m->goroutines);
	lanes_free(&m->threads);
	held_free(&m->queue);
	free(m->released);
	free(m);
}

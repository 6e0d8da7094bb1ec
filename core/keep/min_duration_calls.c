// SPDX-License-Identifier: BSD-2-Clause
/*
 * Entries and exits are paired as core/model/pairing.c does it, which counts them; here it only
 * matters what begins and ends with which event.
 */
#include <errno.h>

#include "base/vec.h"
#include "keep/min_duration_internal.h"

struct lane *min_duration_lane(struct min_duration *m, bool system, uint64_t id)
{
	struct lane *l = lanes_get(system ? &m->threads : &m->goroutines, id);

	if (!l)
		m->queue.err = -ENOMEM;
	else
		l->system = system;
	return l;
}

static bool deeper(const struct lane *l, uint32_t a, uint32_t b)
{
	return l->system ? (int32_t)(a - b) > 0 : a > b;
}

void min_duration_pop(struct min_duration *m, struct lane *l, const struct held_now *now,
		      struct held_now *by)
{
	do {
		struct held *h = l->calls[--l->n];
		const struct event_ext untold = min_duration_untold(l->id, &now->ev->h);

		held_end(&m->queue, h, now->ev->h.ts_ns, by,
			 m->states && !l->n && !l->system ? &untold : NULL);
	} while (l->n && top(l)->released);
}

void min_duration_pop_deeper(struct min_duration *m, struct lane *l, uint32_t depth,
			     struct held_now *now, struct held_now *by)
{
	while (l->n && deeper(l, top(l)->depth, depth))
		min_duration_pop(m, l, now, by);
}

void min_duration_end_stop(struct min_duration *m, struct lane *l, const struct held_now *now)
{
	if (l->stop)
		held_end(&m->queue, l->stop, now->ev->h.ts_ns, NULL, NULL);
	l->stop = NULL;
}

static struct held *begin(struct min_duration *m, struct lane *l, struct held_now *now,
			  uint32_t func)
{
	struct held *h;

	if (vec_reserve(&l->calls, &l->cap, l->n + 1)) {
		m->queue.err = -ENOMEM;
		return NULL;
	}
	h = held_begin(&m->queue, now, l->n ? top(l) : l->life);
	if (!h)
		return NULL;
	h->func = func;
	h->depth = now->ev->h.depth;
	h->site = now->ev->h.site;
	l->calls[l->n++] = h;
	min_duration_begun(m, l, &now->ev->h);
	return h;
}

/*
 * What a call jumps to is part of it here: they end together, so that one is not of use without the
 * other, and the first is the longest.
 */
static void join(struct min_duration *m, struct held *h, struct held_now *now, uint32_t func)
{
	h->func = func;
	h->site = now->ev->h.site;
	h->tailed = false;
	h->joined = true;
	held_note(&m->queue, h, now);
}

static void entry(struct min_duration *m, struct lane *l, struct held_now *now, uint32_t func)
{
	uint32_t depth = now->ev->h.depth;

	min_duration_pop_deeper(m, l, depth, now, NULL);
	struct held *h = top(l);

	if (h && h->depth == depth && h->tailed && h->target == func) {
		join(m, h, now, func);
	} else if (h && h->depth == depth && h->stopped && h->func == func) {
		h->stopped = false;
		/* what has jumped to it goes on, its own entry and call of morestack do not */
		if (h->joined)
			held_note_again(&m->queue, h, now, 2);
		else
			held_begin_again(&m->queue, h, now);
	} else {
		if (h && h->depth == depth)
			min_duration_pop(m, l, now, NULL);
		begin(m, l, now, func);
	}
}

/* Is the call of func at the event's depth the top one? Another one there is over. */
static bool seek(struct min_duration *m, struct lane *l, struct held_now *now, uint32_t func)
{
	min_duration_pop_deeper(m, l, now->ev->h.depth, now, NULL);
	struct held *h = top(l);

	if (!h || h->depth != now->ev->h.depth)
		return false;
	if (h->tailed ? h->target == func : h->func == func)
		return true;
	min_duration_pop(m, l, now, NULL);
	return false;
}

static void leave(struct min_duration *m, struct lane *l, struct held_now *now, uint32_t func)
{
	if (seek(m, l, now, func))
		min_duration_pop(m, l, now, now);
}

static void tail(struct min_duration *m, struct lane *l, struct held_now *now, uint32_t func,
		 uint32_t target)
{
	if (target == TRACE_NONE || m->released[target]) {
		leave(m, l, now, func);
		return;
	}
	if (!seek(m, l, now, func))
		return;
	top(l)->tailed = true;
	top(l)->target = target;
	if (now->ev->h.kind == EV_TAIL)
		held_note(&m->queue, top(l), now);
}

/* If it ends at once, it lasts no time; then only matters which calls it shows to be over. */
static void entry_tail(struct min_duration *m, struct lane *l, struct held_now *now, uint32_t func,
		       uint32_t target)
{
	entry(m, l, now, func);
	tail(m, l, now, func, target);
}

static void morestack(struct min_duration *m, struct lane *l, struct held_now *now, uint32_t func)
{
	min_duration_pop_deeper(m, l, now->ev->h.depth, now, NULL);
	struct held *h = top(l);

	if (!h || h->depth != now->ev->h.depth || h->func != func || h->tailed)
		return;
	h->stopped = true;
	held_note(&m->queue, h, now);
}

void min_duration_call(struct min_duration *m, struct held_now *now)
{
	const struct event *e = &now->ev->h;
	const struct trace_site *s = e->site < m->info->n_sites ? &m->info->sites[e->site] : NULL;
	bool system = e->flags & EVF_SYSTEM;

	if (!s || s->func >= m->info->n_funcs || m->released[s->func])
		return; /* the model counts it */
	uint32_t target = s->target < m->info->n_funcs ? s->target : TRACE_NONE;
	struct lane *l = min_duration_lane(m, system, system ? e->tid : e->goid);

	if (!l)
		return;
	min_duration_ran(m, l, e);
	min_duration_end_stop(m, l, now);
	switch (e->kind) {
	case EV_ENTRY:
		entry(m, l, now, s->func);
		break;
	case EV_EXIT:
		leave(m, l, now, s->func);
		break;
	case EV_TAIL:
		tail(m, l, now, s->func, target);
		break;
	case EV_ENTRY_EXIT:
		entry(m, l, now, s->func);
		leave(m, l, now, s->func);
		break;
	case EV_ENTRY_TAIL:
		entry_tail(m, l, now, s->func, target);
		break;
	default:
		morestack(m, l, now, s->func);
	}
}

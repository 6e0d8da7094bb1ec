// SPDX-License-Identifier: BSD-2-Clause
/* Calls that take too long: a reason to write what there is. */
#include <stdlib.h>

#include "keep/flight_internal.h"

/* Calls of the last when_ns that are watched while they are open; the others are looked at when
 * they end. */
#define WATCHED_MOST (1u << 20)
/* How long is waited for a call to end that has taken too long. */
#define WAIT_LEAST_NS (1000ull * 1000 * 1000)

static struct watched *at(struct flight *f, size_t i)
{
	return &f->queue[(f->queue_first + i) & (f->queue_cap - 1)];
}

static bool make_room(struct flight *f)
{
	size_t size = f->queue_cap ? 2 * f->queue_cap : 64;

	if (f->queue_n < f->queue_cap)
		return true;
	struct watched *bigger = size > WATCHED_MOST ? NULL : calloc(size, sizeof(*bigger));

	if (!bigger)
		return false;
	for (size_t i = 0; i < f->queue_n; i++)
		bigger[i] = *at(f, i);
	free(f->queue);
	f->queue = bigger;
	f->queue_cap = size;
	f->queue_first = 0;
	return true;
}

void flight_watch(struct flight *f, const struct open_stack *s, struct open_call *c)
{
	if (c->flags & OPEN_BEFORE) /* since when is not known */
		return;
	c->flags |= OPEN_WATCHED;
	if (make_room(f))
		*at(f, f->queue_n++) = (struct watched){ s->id, c->start_ns, c->depth, s->system };
}

/* A call has taken too long. */
static void hit(struct flight *f, const struct open_stack *s, struct open_call *c, uint64_t now_ns)
{
	uint64_t wait_ns = f->opt.when_ns > WAIT_LEAST_NS ? f->opt.when_ns : WAIT_LEAST_NS;

	c->flags |= OPEN_HIT;
	if (f->shoot_ns) /* its window is this one */
		return;
	f->shoot_ns = now_ns + wait_ns;
	f->hit_ended = false;
	f->hit = (struct event_ext){ .h = { .ts_ns = now_ns,
					    .goid = s->system ? c->label : s->id,
					    .site = c->site,
					    .depth = c->depth,
					    .tid = c->tid,
					    .kind = EV_WINDOW,
					    .flags = s->system ? EVF_SYSTEM : 0 },
				     .arg = { WINDOW_HIT, now_ns - c->start_ns } };
	f->reason = (struct watched){ s->id, c->start_ns, c->depth, s->system };
}

static bool is_reason(const struct flight *f, const struct open_stack *s, const struct open_call *c)
{
	return f->shoot_ns && f->reason.id == s->id && f->reason.start_ns == c->start_ns &&
	       f->reason.depth == c->depth && f->reason.system == s->system;
}

void flight_call_ended(void *ctx, struct open_stack *s, struct open_call *c, uint64_t ts_ns,
		       bool inferred)
{
	struct flight *f = ctx;

	(void)inferred;
	if (!(c->flags & OPEN_HIT) && ts_ns - c->start_ns > f->opt.when_ns)
		hit(f, s, c, ts_ns);
	if (c->flags & OPEN_HIT && is_reason(f, s, c))
		f->hit_ended = true;
}

void flight_look(struct flight *f, uint64_t now_ns)
{
	while (f->queue_n && now_ns > at(f, 0)->start_ns &&
	       now_ns - at(f, 0)->start_ns > f->opt.when_ns) {
		const struct watched w = *at(f, 0);
		struct open_stack *s = open_calls_find(&f->open, w.system, w.id);

		f->queue_first++;
		f->queue_n--;
		for (size_t i = s ? s->n : 0; i-- > 0;) {
			struct open_call *c = &s->frames[i];

			if (c->depth != w.depth || c->start_ns != w.start_ns)
				continue;
			if (!(c->flags & OPEN_HIT))
				hit(f, s, c, now_ns);
			break;
		}
		if (f->hit.h.kind) {
			const struct event_ext ev = f->hit;

			f->hit = (struct event_ext){ 0 };
			f->last_ns = ev.h.ts_ns > f->last_ns ? ev.h.ts_ns : f->last_ns;
			flight_add(f, &ev.h, 1, &ev.arg);
		}
	}
}

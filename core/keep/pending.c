// SPDX-License-Identifier: BSD-2-Clause
#include "keep/pending.h"

#include <errno.h>
#include <stdlib.h>

/* Something short that made something undecided waits for it, but not for what that makes in turn:
 * goroutines that start their successors would be waited for without end. */
#define WAITS 3 /* times min_ns */

void pending_init(struct pending_queue *q, uint64_t min_ns, const struct trace_sink *next)
{
	*q = (struct pending_queue){ .min_ns = min_ns, .next = next };
	q->ends.before = q->ends.after = &q->ends;
}

/* ---- memory */

#define BLOCK_BYTES (64u << 10)

struct pending_block {
	struct pending_block *next;
	size_t used;
	unsigned char room[];
};

/* Of events and spans; all of it goes at the end. */
static void *room(struct pending_queue *q, size_t bytes)
{
	struct pending_block *b = q->blocks;

	bytes = (bytes + 15) / 16 * 16;
	if (!b || b->used + bytes > BLOCK_BYTES) {
		b = malloc(sizeof(*b) + BLOCK_BYTES);
		if (!b) {
			q->err = q->err ? q->err : -ENOMEM;
			return NULL;
		}
		b->next = q->blocks;
		b->used = 0;
		q->blocks = b;
	}
	b->used += bytes;
	return b->room + b->used - bytes;
}

void pending_free(struct pending_queue *q)
{
	for (struct pending_block *b; (b = q->blocks); free(b))
		q->blocks = b->next;
}

/* ---- events */

static void append(struct pending_queue *q, struct pending_event *e)
{
	e->before = q->ends.before;
	e->after = &q->ends;
	e->before->after = e->after->before = e;
	if (++q->n > q->most)
		q->most = q->n;
}

static void take_out(struct pending_queue *q, struct pending_event *e)
{
	if (!e->after)
		return;
	e->before->after = e->after;
	e->after->before = e->before;
	e->before = e->after = NULL;
	q->n--;
}

/* Gives the memory of an event back that begins nothing. */
static void reuse_event(struct pending_queue *q, struct pending_event *e)
{
	take_out(q, e);
	e->after = q->spare_events;
	q->spare_events = e;
}

static struct pending_event *put(struct pending_queue *q, struct pending_now *now)
{
	struct pending_event *e = now->put ? now->put : q->spare_events;

	if (now->put)
		return e;
	if (e)
		q->spare_events = e->after;
	else
		e = room(q, sizeof(*e));
	if (!e)
		return NULL;
	*e = (struct pending_event){ .ev = *now->ev };
	append(q, e);
	return now->put = e;
}

void pending_keep_event(struct pending_queue *q, struct pending_now *now)
{
	struct pending_event *e = put(q, now);

	if (e)
		e->kept = true;
}

/* An undecided span does not need it any more. */
static void let_go(struct pending_queue *q, struct pending_event **at)
{
	struct pending_event *e = *at;

	*at = NULL;
	if (e && !--e->needed && !e->kept)
		reuse_event(q, e);
}

static void let_go_noted(struct pending_queue *q, struct pending *h)
{
	while (h->n_noted)
		let_go(q, &h->noted[--h->n_noted]);
}

static void let_go_more(struct pending_queue *q, struct pending *h)
{
	while (h->more) {
		struct pending_event *e = h->more;

		h->more = e->more;
		let_go(q, &e);
	}
}

static void keep_event(struct pending_event **at)
{
	struct pending_event *e = *at;

	*at = NULL;
	if (!e)
		return;
	e->needed--;
	e->kept = true;
}

/* ---- spans */

static struct pending *new_span(struct pending_queue *q)
{
	struct pending *h = q->spare_spans;

	if (h)
		q->spare_spans = h->up;
	else
		h = room(q, sizeof(*h));
	return h;
}

/* Its memory, once nothing knows of it any more. */
static void reuse_span(struct pending_queue *q, struct pending *h)
{
	if (h->open || h->below || h->first.after)
		return;
	h->up = q->spare_spans;
	q->spare_spans = h;
}

static bool undecided(const struct pending *h)
{
	return h && !h->kept && !h->dropped;
}

/* And what made it, all the way up. */
static void keep(struct pending_queue *q, struct pending *h)
{
	while (undecided(h)) {
		struct pending *up = h->up;

		h->kept = h->first.kept = true;
		for (unsigned i = 0; i < h->n_noted; i++)
			keep_event(&h->noted[i]);
		keep_event(&h->last);
		while (h->more) {
			struct pending_event *e = h->more;

			h->more = e->more;
			keep_event(&e);
		}
		h->up = NULL;
		h = undecided(up) ? up : NULL;
		if (up)
			up->below--;
		if (up && !h)
			reuse_span(q, up);
	}
}

static bool is_over(const struct pending *h)
{
	return undecided(h) && !h->open && !h->below;
}

/* And what made it, if that is over as well and waited for nothing else. */
static void drop(struct pending_queue *q, struct pending *h)
{
	while (h) {
		struct pending *up = h->up;

		h->dropped = true;
		take_out(q, &h->first);
		let_go_noted(q, h);
		let_go_more(q, h);
		let_go(q, &h->last);
		h->up = NULL;
		reuse_span(q, h);
		if (up)
			up->below--;
		h = is_over(up) ? up : NULL;
		if (up && !undecided(up))
			reuse_span(q, up);
	}
}

struct pending *pending_begin(struct pending_queue *q, struct pending_now *now, struct pending *up)
{
	struct pending *h = new_span(q);

	if (!h)
		return NULL;
	*h = (struct pending){ .first = { .ev = *now->ev },
			       .start_ns = now->ev->h.ts_ns,
			       .up = undecided(up) ? up : NULL,
			       .open = true };
	h->first.begins = h;
	append(q, &h->first);
	if (h->up)
		h->up->below++;
	return h;
}

/* The event of now, unless it is kept already; NULL also without memory. */
static struct pending_event *hold(struct pending_queue *q, struct pending *h,
				  struct pending_now *now)
{
	struct pending_event *e = put(q, now);

	if (!e || h->kept) {
		if (e)
			e->kept = true;
		return NULL;
	}
	e->needed++;
	return e;
}

static void note(struct pending_queue *q, struct pending *h, struct pending_now *now,
		 struct pending_event **at)
{
	struct pending_event *e = hold(q, h, now);

	if (e)
		*at = e;
}

void pending_note(struct pending_queue *q, struct pending *h, struct pending_now *now)
{
	if (undecided(h) && h->n_noted == PENDING_NOTED)
		keep(q, h);
	if (!h->dropped)
		note(q, h, now, &h->noted[h->kept ? 0 : h->n_noted]);
	h->n_noted += undecided(h) && h->noted[h->n_noted];
}

void pending_note_more(struct pending_queue *q, struct pending *h, struct pending_now *now)
{
	struct pending_event *e = h->dropped ? NULL : hold(q, h, now);

	if (!e)
		return;
	e->more = h->more;
	h->more = e;
}

void pending_note_again(struct pending_queue *q, struct pending *h, struct pending_now *now,
			unsigned n)
{
	for (; undecided(h) && n && h->n_noted; n--)
		let_go(q, &h->noted[--h->n_noted]);
	pending_note(q, h, now);
}

void pending_begin_again(struct pending_queue *q, struct pending *h, struct pending_now *now)
{
	if (h->dropped)
		return;
	if (h->kept) {
		pending_keep_event(q, now);
		return;
	}
	let_go_noted(q, h);
	let_go_more(q, h);
	take_out(q, &h->first);
	h->first.ev = *now->ev;
	h->start_ns = now->ev->h.ts_ns;
	append(q, &h->first);
}

void pending_end(struct pending_queue *q, struct pending *h, uint64_t ts_ns,
		 struct pending_now *now, const struct event_ext *after)
{
	uint64_t ns = ts_ns > h->start_ns ? ts_ns - h->start_ns : 0;

	h->open = false;
	if (undecided(h) && ns >= q->min_ns)
		keep(q, h);
	if (undecided(h) && !h->below) {
		drop(q, h);
		return;
	}
	if (now && !h->dropped)
		note(q, h, now, &h->last);
	if (after)
		pending_note_more(q, h, &(struct pending_now){ .ev = after });
	if (!undecided(h))
		reuse_span(q, h);
}

/* ---- the queue */

static void pass_on(struct pending_queue *q, struct pending_event *e)
{
	struct pending *h = e->begins;

	if (!q->err)
		q->err = q->next->event(q->next->ctx, &e->ev);
	if (!h) {
		reuse_event(q, e);
		return;
	}
	take_out(q, e);
	reuse_span(q, h);
}

int pending_drain(struct pending_queue *q, uint64_t now_ns)
{
	while (!q->err && q->ends.after != &q->ends) {
		struct pending_event *e = q->ends.after;
		struct pending *h = e->begins;
		uint64_t age_ns = now_ns > e->ev.h.ts_ns ? now_ns - e->ev.h.ts_ns : 0;

		if (!e->kept && h && h->open && age_ns >= q->min_ns)
			keep(q, h);
		else if (!e->kept && age_ns < WAITS * q->min_ns)
			break;
		if (e->kept)
			pass_on(q, e);
		else if (h)
			drop(q, h);
		else
			reuse_event(q, e);
	}
	return q->err;
}

int pending_finish(struct pending_queue *q, uint64_t last_ns)
{
	for (struct pending_event *e = q->ends.after; e != &q->ends; e = e->after)
		if (e->begins && e->begins->open && last_ns >= e->ev.h.ts_ns + q->min_ns)
			keep(q, e->begins);
	while (!q->err && q->ends.after != &q->ends) {
		struct pending_event *e = q->ends.after;

		if (e->kept)
			pass_on(q, e);
		else
			take_out(q, e); /* it goes with what it is part of */
	}
	return q->err;
}

// SPDX-License-Identifier: BSD-2-Clause
/* What begins and ends with which event, by the rules of core/pair. */
#include <errno.h>

#include "base/vec.h"
#include "keep/min_duration_internal.h"

#define PAIR_CLIENT struct min_duration
#define PAIR_STACK  struct pending_stack
#define PAIR_FRAME  struct pending_call

static inline void pair_on_uncovered(struct min_duration *m, struct pending_stack *l)
{
	(void)m;
	(void)l;
}

/* The event ends the call, or only shows that it is over. */
static inline int pair_on_pop(struct min_duration *m, struct pending_stack *l, uint64_t ts_ns,
			      enum call_end end)
{
	const struct event *e = &m->now->ev->h;
	const struct pending_call *c = &l->frames[--l->n];
	bool seen = end != CALL_INFERRED || e->kind == EV_WINDOW;

	if (c->flags & LANE_JOINED) /* it ends with what jumped to it */
		return 0;
	const struct event_ext untold = min_duration_untold(l->id, e);

	pending_end(&m->queue, c->held, ts_ns, seen ? m->now : NULL,
		    m->states && !l->n && !l->system ? &untold : NULL);
	return 0;
}

/* What held a prologue up is over when anything else happens there. */
static inline void pair_settle(struct min_duration *m, struct pending_stack *l, uint64_t ts_ns)
{
	if (l->stop)
		pending_end(&m->queue, l->stop, ts_ns, NULL, NULL);
	l->stop = NULL;
}

#include "pair/frames.h"
#include "pair/rules.h"

static struct pending_stack *find(struct min_duration *m, bool system, uint64_t id)
{
	return pending_stacks_find(system ? &m->threads : &m->goroutines, id);
}

static struct pending_stack *get(struct min_duration *m, bool system, uint64_t id, uint64_t ts_ns)
{
	struct pending_stack *l = pending_stacks_get(system ? &m->threads : &m->goroutines, id);

	(void)ts_ns;
	if (l)
		l->system = system;
	return l;
}

/* What is made on l now is made by that. */
static struct pending *innermost(const struct pending_stack *l)
{
	return l->n ? pair_top(l)->held : l->life;
}

/* ---- calls */

static int push(struct min_duration *m, struct pending_stack *l, const struct event *e,
		uint32_t func)
{
	const struct pending_call *below = pair_top(l);
	struct pending_call c = { .depth = e->depth, .func = func, .site = e->site };
	bool joins = below && below->depth == e->depth;

	c.held = joins ? below->held : pending_begin(&m->queue, m->now, innermost(l));
	if (!c.held)
		return m->queue.err;
	if (vec_reserve(&l->frames, &l->cap, l->n + 1))
		return -ENOMEM;
	if (joins) {
		c.flags = LANE_JOINED;
		pending_note(&m->queue, c.held, m->now);
	}
	l->frames[l->n++] = c;
	if (!joins)
		min_duration_begun(m, l, e);
	return 0;
}

static int again(struct min_duration *m, struct pending_stack *l, const struct event *e)
{
	const struct pending_call *c = pair_top(l);

	(void)e;
	/* what has jumped to it goes on, its own entry and call of morestack do not */
	if (c->flags & LANE_JOINED)
		pending_note_again(&m->queue, c->held, m->now, 2);
	else
		pending_begin_again(&m->queue, c->held, m->now);
	return 0;
}

static int tailed(struct min_duration *m, struct pending_stack *l, const struct event *e)
{
	if (e->kind == EV_TAIL)
		pending_note(&m->queue, pair_top(l)->held, m->now);
	return 0;
}

static void morestack(struct min_duration *m, struct pending_stack *l, const struct event *e)
{
	(void)e;
	pending_note(&m->queue, pair_top(l)->held, m->now);
}

/* ---- prologues */

static inline bool is_stopped(const struct pending_stack *l)
{
	return l->stop;
}

static void entry_at_stop(struct min_duration *m, struct pending_stack *l, const struct event *e,
			  uint32_t func)
{
	(void)func;
	pair_settle(m, l, e->ts_ns);
}

static uint32_t stop(struct min_duration *m, struct pending_stack *l, const struct event *e,
		     uint32_t func)
{
	pair_settle(m, l, e->ts_ns);
	return func;
}

static int stopped(struct min_duration *m, struct pending_stack *l, const struct event *e,
		   uint32_t func)
{
	(void)e;
	(void)func;
	l->stop = pending_begin(&m->queue, m->now, innermost(l));
	return m->queue.err;
}

static void resume(struct min_duration *m, struct pending_stack *l, const struct event *e,
		   const uint64_t arg[4])
{
	if (l->stop)
		pending_note(&m->queue, l->stop, m->now);
	min_duration_resumed(m, l, e, arg[2]);
}

/* ---- goroutines */

static int create(struct min_duration *m, const struct event *e, const uint64_t arg[4])
{
	bool before = e->flags & EVF_BEFORE;
	struct pending_stack *by = e->goid && !before ? find(m, false, e->goid) : NULL;
	int err = pair_end_other(m, e, arg[0]);
	struct pending_stack *child = err ? NULL : get(m, false, arg[0], e->ts_ns);

	if (!child)
		return err ? err : -ENOMEM;
	if (child != by)
		child->life = pending_begin(&m->queue, m->now, by ? innermost(by) : NULL);
	if (by)
		min_duration_ran(m, by, e);
	if (m->states && child->life && child != by) {
		const struct event_ext untold = min_duration_untold(arg[0], e);

		child->state = before ? STATE_UNKNOWN : STATE_RUNNABLE;
		pending_note_more(&m->queue, child->life, &(struct pending_now){ .ev = &untold });
	}
	return 0;
}

static void end(struct min_duration *m, struct pending_stack *l, const struct event *e)
{
	(void)e;
	/* It began before the recording did, so that it lived long. */
	if (!l->life)
		pending_keep_event(&m->queue, m->now);
}

static int drop(struct min_duration *m, struct pending_stack *l, uint64_t ts_ns, enum call_end how)
{
	if (l->life)
		pending_end(&m->queue, l->life, ts_ns, how == CALL_INFERRED ? NULL : m->now, NULL);
	pending_stacks_remove(&m->goroutines, l);
	return 0;
}

/* ---- the rest */

static int keep(struct min_duration *m)
{
	pending_keep_event(&m->queue, m->now);
	return m->queue.err;
}

static void end_lanes(struct min_duration *m, struct pending_stacks *t, uint64_t ts_ns)
{
	while (t->n) {
		struct pending_stack *l = t->all[t->n - 1];

		pair_pop_all(m, l, ts_ns, CALL_UNFINISHED);
		if (l->life)
			pending_end(&m->queue, l->life, ts_ns, m->now, NULL);
		pending_stacks_remove(t, l);
	}
}

static int image(struct min_duration *m, const struct event *e)
{
	keep(m);
	end_lanes(m, &m->goroutines, e->ts_ns);
	end_lanes(m, &m->threads, e->ts_ns);
	return 0;
}

static int loss(struct min_duration *m, const struct event *e, const uint64_t arg[4])
{
	(void)arg;
	min_duration_lost(m, e);
	return keep(m);
}

/* What is open ends unseen, or is told again. */
static void end_calls(struct min_duration *m, const struct pending_stacks *t, uint64_t ts_ns)
{
	for (size_t i = 0; i < t->n; i++)
		pair_pop_all(m, t->all[i], ts_ns, CALL_UNFINISHED);
}

/* What was left out of the trace on purpose. */
static int window(struct min_duration *m, const struct event *e, const uint64_t arg[4])
{
	if (arg[0] == WINDOW_OVER)
		return pair_over(m, e);
	if (arg[0] == WINDOW_LEFT_OUT) /* only how many there were matters */
		return 0;
	keep(m);
	if (arg[0] == WINDOW_BEGIN || arg[0] == WINDOW_END) {
		end_calls(m, &m->goroutines, e->ts_ns);
		end_calls(m, &m->threads, e->ts_ns);
	}
	return 0;
}

static int state(struct min_duration *m, const struct event *e)
{
	min_duration_state(m, e);
	return 0;
}

static int sample(struct min_duration *m, const struct event *e, const uint64_t arg[4])
{
	(void)e;
	(void)arg;
	return keep(m);
}

static const struct pair_ops pair_ops = {
	.find = find,
	.get = get,
	.own = min_duration_ran,
	.push = push,
	.again = again,
	.tailed = tailed,
	.morestack = morestack,
	.is_stopped = is_stopped,
	.entry_at_stop = entry_at_stop,
	.stop = stop,
	.stopped = stopped,
	.resume = resume,
	.end = end,
	.drop = drop,
	.create = create,
	.loss = loss,
	.image = image,
	.window = window,
	.state = state,
	.sample = sample,
};

void min_duration_event(struct min_duration *m, struct pending_now *now)
{
	const struct event *e = &now->ev->h;

	m->now = now;
	if (e->kind == EV_RELEASED)
		keep(m);
	int err = pair_event(m, e, now->ev->arg);

	if (err == PAIR_NO_KIND)
		keep(m);
	else if (err && !m->queue.err)
		m->queue.err = err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "keep/open_calls.h"

#include <errno.h>

#include "keep/open_stacks.h"
#include "keep/open_states.h"

#define PAIR_CLIENT struct open_calls
#define PAIR_STACK  struct open_stack
#define PAIR_FRAME  struct open_call

/* What a reader of the trace ends by itself, as it does not see the calls above. */
static inline void pair_on_uncovered(struct open_calls *o, struct open_stack *s)
{
	(void)o;
	for (size_t i = s->n; i-- > 0;) {
		struct open_call *c = &s->frames[i];

		if (!(c->flags & OPEN_TOLD))
			continue;
		if (!(c->flags & PAIR_RELEASED))
			return;
		c->flags &= ~OPEN_TOLD;
	}
}

static inline int pair_on_pop(struct open_calls *o, struct open_stack *s, uint64_t ts_ns,
			      enum call_end end)
{
	struct open_change *ch = o->change;
	struct open_call *c = &s->frames[s->n - 1];

	if (c->flags & o->ended_flags)
		o->ended(o->ctx, s, c, ts_ns, end == CALL_INFERRED);
	if (c->flags & OPEN_TOLD) {
		ch->own_told |= end != CALL_INFERRED && end != CALL_UNFINISHED;
		if (end == CALL_INFERRED) {
			ch->over = true;
			ch->over_depth = c->depth;
		}
	}
	s->n--;
	s->n_doubted = s->n_doubted < s->n ? s->n_doubted : s->n;
	if (s->n)
		c[-1].flags |= OPEN_RAN;
	return 0;
}

/* How long a prologue was stopped matters to nobody here. */
static inline void pair_settle(struct open_calls *o, struct open_stack *s, uint64_t ts_ns)
{
	(void)o;
	(void)s;
	(void)ts_ns;
}

#include "pair/frames.h"
#include "pair/rules.h"

static inline void own(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	o->change->stack = s;
	s->last_ns = e->ts_ns;
	o->change->restated = open_states_own(o, s, e);
}

/* ---- events of functions */

static inline int push(struct open_calls *o, struct open_stack *s, const struct event *e,
		       uint32_t func)
{
	int err = __builtin_expect(s->n == s->cap, 0) ? open_stacks_grow(o, s) : 0;
	struct open_call *c;

	if (err)
		return err;
	c = o->change->call = &s->frames[s->n++];
	*c = (struct open_call){
		.start_ns = e->ts_ns,
		.label = e->goid,
		.depth = e->depth,
		.func = func,
		.target = TRACE_NONE,
		.tid = e->tid,
		.site = e->site,
		.flags = (e->flags & EVF_BEFORE ? OPEN_BEFORE : 0) |
			 (e->flags & EVF_DOUBT ? PAIR_SUSPECT : 0),
	};
	o->any_call = true;
	return 0;
}

/* The user looks at the beginning first: open_calls_end. */
static inline bool goes_on(struct open_calls *o)
{
	(void)o;
	return false;
}

static int again(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	struct open_call *c = o->change->call = pair_top(s);

	c->start_ns = e->ts_ns;
	c->tid = e->tid;
	o->change->again = true;
	return 0;
}

static bool has_run(const struct open_call *c)
{
	return c->flags & OPEN_RAN;
}

static inline void sought(struct open_calls *o, struct open_stack *s, bool found)
{
	(void)s;
	o->change->found = found;
}

static int tailed(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	pair_top(s)->tail_site = e->site;
	o->change->own_told = pair_top(s)->flags & OPEN_TOLD;
	return 0;
}

static void morestack(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	(void)e;
	o->change->found = true;
	o->change->own_told = pair_top(s)->flags & OPEN_TOLD;
}

/* ---- events of goroutines */

static uint32_t stop(struct open_calls *o, struct open_stack *s, const struct event *e,
		     uint32_t func)
{
	(void)s;
	(void)e;
	o->change->func = func == STOP_UNPROBED ? TRACE_NONE : func;
	return func;
}
_Static_assert(STOP_ANY == TRACE_NONE, "no function");

static int stopped(struct open_calls *o, struct open_stack *s, const struct event *e, uint32_t func)
{
	struct open_call *c = pair_top(s);

	(void)func;
	if (c && c->depth == e->depth && c->flags & PAIR_STOPPED)
		o->change->call = c;
	return 0;
}

static void resume(struct open_calls *o, struct open_stack *s, const struct event *e,
		   const uint64_t arg[4])
{
	if (o->states)
		o->change->restated |= open_states_resume(s, arg[2], e->ts_ns);
}

static void end(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	o->change->stack = s;
	s->last_ns = e->ts_ns;
}

/* Of EV_END the user does it. */
static int drop(struct open_calls *o, struct open_stack *s, uint64_t ts_ns, enum call_end how)
{
	(void)ts_ns;
	if (how != CALL_INFERRED)
		return 0;
	o->change->child_over = o->change->over;
	o->change->over = false;
	open_calls_drop(o, s);
	return 0;
}

static int create(struct open_calls *o, const struct event *e, const uint64_t arg[4])
{
	bool before = e->flags & EVF_BEFORE;
	struct open_stack *by, *child;
	int err = pair_end_other(o, e, arg[0]);

	if (err)
		return err;
	if (e->goid && !before) {
		by = open_stacks_get(o, false, e->goid, e->ts_ns);
		if (!by)
			return -ENOMEM;
		own(o, by, e);
	}
	child = o->change->child = open_stacks_get(o, false, arg[0], e->ts_ns);
	if (!child)
		return -ENOMEM;
	child->created = true;
	child->creator = e->goid;
	child->create_pc = arg[1];
	child->start_pc = arg[2];
	child->last_ns = e->ts_ns;
	if (o->states && !before && arg[0] != e->goid)
		open_states_created(child, e->ts_ns);
	return 0;
}

/* ---- the rest */

static void release(struct open_calls *o, struct open_stack *s, uint32_t func)
{
	(void)o;
	if (s->ahead.active && s->ahead.func == func)
		s->ahead.active = false;
}

static int loss(struct open_calls *o, const struct event *e, const uint64_t arg[4])
{
	return open_losses_apply(o, e, arg[0]);
}

static int image(struct open_calls *o, const struct event *e)
{
	(void)e;
	open_states_image(o);
	if (o->image_seen || o->any_call)
		open_stacks_drop_all(o);
	o->image_seen = true;
	return 0;
}

static int window(struct open_calls *o, const struct event *e, const uint64_t arg[4])
{
	if (arg[0] == WINDOW_OVER)
		return pair_over(o, e);
	if (arg[0] == WINDOW_BEGIN || arg[0] == WINDOW_END)
		open_calls_forget(o);
	return 0;
}

static int state(struct open_calls *o, const struct event *e)
{
	return open_states_apply(o, e, &o->change->stack);
}

static const struct pair_ops pair_ops = {
	.find = open_calls_find,
	.get = open_stacks_get,
	.own = own,
	.push = push,
	.goes_on = goes_on,
	.again = again,
	.has_run = has_run,
	.sought = sought,
	.tailed = tailed,
	.morestack = morestack,
	.stop = stop,
	.stopped = stopped,
	.resume = resume,
	.end = end,
	.drop = drop,
	.release = release,
	.create = create,
	.loss = loss,
	.image = image,
	.window = window,
	.state = state,
};

int open_calls_apply(struct open_calls *o, const struct event *e, const uint64_t arg[4],
		     struct open_change *ch)
{
	*ch = (struct open_change){ .func = TRACE_NONE };
	o->change = ch;
	o->n_events++;
	if (e->ts_ns > o->last_ns)
		o->last_ns = e->ts_ns;
	int err = pair_event(o, e, arg);

	return err == PAIR_NO_KIND ? 0 : err;
}

void open_calls_end(struct open_calls *o, const struct event *e, struct open_change *ch)
{
	o->change = ch;
	pair_rest(o, ch->stack, e, e->kind == EV_ENTRY_EXIT ? PAIR_RETURNS : PAIR_JUMPS);
}

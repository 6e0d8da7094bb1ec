// SPDX-License-Identifier: BSD-2-Clause
/* The model as a client of pair/rules.h: what follows for it from each rule. */
#include <errno.h>

#include "model/losses.h"
#include "model/model_internal.h"
#include "pair/rules.h"

/* For the calls that the event will begin or end: how it came about. */
static inline void note_way(struct model *m, const struct event *e)
{
	bool both = e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL;
	unsigned how = EVF_HOW(e->flags) <= HOW_MAX ? EVF_HOW(e->flags) : HOW_UNKNOWN;

	m->entry_code = path_event_code(both ? ROLE_BOTH : ROLE_ENTRY, how);
	m->exit_code = both ? NO_EVENT : path_event_code(ROLE_EXIT, how);
}

static struct stack *find(struct model *m, bool system, uint64_t id)
{
	return stack_find(system ? &m->threads : &m->goroutines, id);
}

static inline void own(struct model *m, struct stack *s, const struct event *e)
{
	s->info.last_ns = e->ts_ns;
	s->label = e->goid;
	note_way(m, e);
	states_own(m, s, e);
}

static void bad(struct model *m)
{
	m->totals.bad_events++;
}

/* ---- calls */

static int again(struct model *m, struct stack *s, const struct event *e)
{
	struct frame *f = pair_top(s);

	frame_restart(m, s, f, e->ts_ns);
	f->tid = e->tid;
	if (s->stop.active)
		prologue_stop_entered(m, s, e->ts_ns);
	states_restart(m, s);
	struct frame known = *f; /* what it counts as was known at its first entry */
	int err = call_values_enter(m, s, s->n - 1, e, &known);

	call_begun(m, s, f);
	return err;
}

static bool has_run(const struct frame *f)
{
	return f->child_ns;
}

static inline void sought(struct model *m, struct stack *s, bool found)
{
	(void)s;
	m->totals.orphan_exits += !found;
}

static int tailed(struct model *m, struct stack *s, const struct event *e)
{
	return e->kind == EV_TAIL ? pair_inside(m, s, e) : 0;
}

/* ---- prologues */

static inline bool is_stopped(const struct stack *s)
{
	return s->stop.active;
}

static void morestack(struct model *m, struct stack *s, const struct event *e)
{
	prologue_stop_begin(m, s, e->depth, STOP_ANY, true, pair_top(s)->start_ns);
}

/* Is what was stopped another call than the one of func that is entered at depth? */
static bool stopped_other(const struct stack *s, uint32_t depth, uint32_t func)
{
	const struct frame *f = pair_top(s);

	if (s->stop.depth != depth || (s->stop.func != func && s->stop.func != STOP_ANY))
		return true;
	if (!f || f->depth != depth)
		return false;
	return (f->flags & PAIR_STOPPED && f->func != func) ||
	       (f->flags & PAIR_TAILED && f->target != func);
}

static void entry_at_stop(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	if (s->stop.active && stopped_other(s, e->depth, func))
		prologue_stop_settle(m, s, e->ts_ns);
}

static void entered(struct model *m, struct stack *s, const struct event *e)
{
	if (s->stop.active)
		prologue_stop_entered(m, s, e->ts_ns);
}

static uint32_t stop(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	struct prologue_stop *p = &s->stop;

	if (p->active && p->depth == e->depth && p->func == STOP_ANY)
		func = STOP_ANY; /* EV_MORESTACK began it */
	if (p->active && (p->depth != e->depth || p->func != func || func == STOP_UNPROBED))
		prologue_stop_settle(m, s, e->ts_ns);
	return func;
}

static int stopped(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	prologue_stop_begin(m, s, e->depth, func, false, e->ts_ns);
	return 0;
}

static void resume(struct model *m, struct stack *s, const struct event *e, const uint64_t arg[4])
{
	prologue_stop_resume(s, arg[2], e->ts_ns);
	states_resume(m, s, arg[2], e->ts_ns);
}

/* ---- goroutines and functions */

static void end(struct model *m, struct stack *s, const struct event *e)
{
	(void)m;
	s->info.last_ns = e->ts_ns;
	s->info.ended = true;
}

static void release(struct model *m, struct stack *s, uint32_t func)
{
	(void)m;
	if (s->stop.active && s->stop.func == func)
		s->stop.func = STOP_UNPROBED;
}

static void released(struct model *m, const struct event *e)
{
	(void)e;
	m->totals.released++;
}

static int create(struct model *m, const struct event *e, const uint64_t arg[4])
{
	uint32_t root;
	int err = life_created_by(m, e, arg, &root);

	if (!err)
		err = pair_end_other(m, e, arg[0]);
	return err ? err : life_begin(m, e, arg, root);
}

static int window(struct model *m, const struct event *e, const uint64_t arg[4])
{
	return arg[0] == WINDOW_OVER ? pair_over(m, e) : window_apply(m, e, arg);
}

static const struct pair_ops pair_ops = {
	.find = find,
	.get = stack_get,
	.own = own,
	.push = call_push,
	.again = again,
	.ran = states_ran,
	.has_run = has_run,
	.sought = sought,
	.exits = call_values_leave,
	.tailed = tailed,
	.morestack = morestack,
	.is_stopped = is_stopped,
	.entry_at_stop = entry_at_stop,
	.entered = entered,
	.stop = stop,
	.stopped = stopped,
	.resume = resume,
	.end = end,
	.drop = life_drop,
	.release = release,
	.released = released,
	.bad = bad,
	.create = create,
	.loss = loss_apply,
	.image = life_image,
	.window = window,
	.state = states_apply,
	.sample = sampled_apply,
};

static inline int pair_one(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct model_totals *t = &m->totals;
	int err;

	/* a sample is no event of the program's */
	if (__builtin_expect(e->kind == EV_SAMPLE, 0))
		return pair_event(m, e, arg);
	if (__builtin_expect(!t->events++, 0) && !m->begun)
		t->first_ns = t->from_ns = e->ts_ns;
	err = pair_event(m, e, arg);
	if (err == PAIR_NO_KIND) {
		t->bad_events++;
		return 0;
	}
	if (e->ts_ns > t->last_ns)
		t->last_ns = e->ts_ns;
	return err ? err : m->states_err;
}

int model_feed(struct model *m, const struct event_ext *ev)
{
	return pair_one(m, &ev->h, ev->arg);
}

int model_feed_span(struct model *m, const struct trace_span *span)
{
	static const uint64_t none[4];
	size_t i = 0;
	int err = 0;

	for (size_t k = 0; !err && k <= span->n_args; k++) {
		size_t next = k < span->n_args ? span->arg_at[k] : span->n;

		for (; !err && i < next; i++)
			err = pair_one(m, &span->ev[i], none);
		if (!err && i < span->n)
			err = pair_one(m, &span->ev[i++], span->args[k]);
	}
	return err;
}

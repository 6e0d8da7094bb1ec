// SPDX-License-Identifier: BSD-2-Clause
/*
 * One event at a time: the rules by which entries and exits become calls.
 *
 * A frame is known by its stack and depth. Two open calls share a depth only
 * when the lower one jumped to the upper one (FRAME_TAILED).
 */
#include <errno.h>

#include "model/losses.h"
#include "model/model_internal.h"

/* For the calls that the event will begin or end: how it came about. */
static inline void note_way(struct model *m, const struct event *e)
{
	bool both = e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL;
	unsigned how = EVF_HOW(e->flags) <= HOW_MAX ? EVF_HOW(e->flags) : HOW_UNKNOWN;

	m->entry_code = path_event_code(both ? ROLE_BOTH : ROLE_ENTRY, how);
	m->exit_code = both ? NO_EVENT : path_event_code(ROLE_EXIT, how);
}

/* A frame whose second entry is missing has evidently run. */
static void ran_after_all(struct model *m, struct stack *s)
{
	struct frame *f = top(s);

	if (!f || !(f->flags & FRAME_STOPPED))
		return;
	f->flags = (f->flags & ~FRAME_STOPPED) | FRAME_SUSPECT;
	states_ran(m, s);
}

static int entered_again(struct model *m, struct stack *s, const struct event *e)
{
	struct frame *f = top(s);

	f->flags &= ~FRAME_STOPPED;
	frame_restart(m, s, f, e->ts_ns);
	f->tid = e->tid;
	if (s->stop.active)
		prologue_stop_entered(m, s, e->ts_ns);
	states_restart(m, s);
	struct frame again = *f; /* what it counts as was known at its first entry */
	int err = call_values_enter(m, s, s->n - 1, e, &again);

	call_begun(m, s, f);
	return err;
}

/* Is what was stopped another call than the one of func that is entered at depth? */
static bool stopped_other(struct stack *s, uint32_t depth, uint32_t func)
{
	const struct frame *f = top(s);

	if (s->stop.depth != depth || (s->stop.func != func && s->stop.func != STOP_ANY))
		return true;
	if (!f || f->depth != depth)
		return false;
	return (f->flags & FRAME_STOPPED && f->func != func) ||
	       (f->flags & FRAME_TAILED && f->target != func);
}

static int entry_slow(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	struct prologue_stop *p = &s->stop;
	int err;

	if (__builtin_expect(p->active, 0) && stopped_other(s, e->depth, func))
		prologue_stop_settle(m, s, e->ts_ns);
	err = call_pop_deeper(m, s, e->depth, e->ts_ns, CALL_INFERRED);
	if (err)
		return err;
	struct frame *f = top(s);

	if (f && f->depth == e->depth && f->flags & FRAME_STOPPED && f->func == func)
		return entered_again(m, s, e);
	while (f && f->depth == e->depth && !(f->flags & FRAME_TAILED && f->target == func)) {
		f->flags |= FRAME_SUSPECT;
		err = call_pop(m, s, e->ts_ns, CALL_INFERRED);
		if (err)
			return err;
		f = top(s);
	}
	ran_after_all(m, s);
	err = call_push(m, s, e, func);
	if (!err && p->active)
		prologue_stop_entered(m, s, e->ts_ns);
	return err;
}

static inline int entry(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	const struct frame *f = top(s);

	/* Nearly always: deeper than what is open, and nothing was stopped. */
	if (__builtin_expect((!f ||
			      (deeper(s, e->depth, f->depth) && !(f->flags & FRAME_STOPPED))) &&
				     !s->stop.active,
			     1))
		return call_push(m, s, e, func);
	return entry_slow(m, s, e, func);
}

/* Ends the calls that jumped to the one that has just ended at this depth. */
static inline int pop_tailed(struct model *m, struct stack *s, const struct event *e,
			     enum call_end end)
{
	int err = 0;

	while (!err && s->n && top(s)->depth == e->depth && top(s)->flags & FRAME_TAILED)
		err = call_pop(m, s, e->ts_ns, end);
	return err;
}

/* Makes the frame of func at e's depth the top one. *found: it is there. A
 * frame there that waits for func to return stays; another is closed. */
static int seek(struct model *m, struct stack *s, const struct event *e, uint32_t func, bool *found)
{
	prologue_stop_settle(m, s, e->ts_ns);
	int err = call_pop_deeper(m, s, e->depth, e->ts_ns, CALL_INFERRED);
	struct frame *f = top(s);

	*found = !err && f && f->depth == e->depth && f->func == func && !(f->flags & FRAME_TAILED);
	if (err)
		return err;
	if (*found) {
		ran_after_all(m, s);
		return 0;
	}
	m->totals.orphan_exits++;
	if (!f || f->depth != e->depth || (f->flags & FRAME_TAILED && f->target == func))
		return 0;
	f->flags |= FRAME_SUSPECT;
	return call_pop(m, s, e->ts_ns, CALL_INFERRED);
}

static int leave(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	const struct frame *f = top(s);
	/* Nearly always: the top one, and nothing was stopped. */
	bool found = f && f->depth == e->depth && f->func == func &&
		     !(f->flags & (FRAME_TAILED | FRAME_STOPPED)) && !s->stop.active;
	int err = 0;

	if (__builtin_expect(!found, 0))
		err = seek(m, s, e, func, &found);
	call_values_leave(m, e, func);
	if (!err && found)
		err = call_pop(m, s, e->ts_ns, CALL_FINISHED);
	return err ? err : pop_tailed(m, s, e, CALL_FINISHED);
}

static int tail(struct model *m, struct stack *s, const struct event *e, uint32_t func,
		uint32_t target)
{
	bool found;
	int err = seek(m, s, e, func, &found);

	if (err)
		return err;
	if (target == TRACE_NONE || is_released(m, target)) { /* no exit of it will come */
		if (found)
			err = call_pop(m, s, e->ts_ns, CALL_TAIL);
		return err ? err : pop_tailed(m, s, e, CALL_TAIL);
	}
	struct frame *f = top(s);

	/* Not found: what waits at this depth waits for the new target now. */
	if (found || (f && f->depth == e->depth && f->flags & FRAME_TAILED)) {
		f->flags |= FRAME_TAILED;
		f->target = target;
		return e->kind == EV_TAIL ? pair_inside(m, s, e) : 0;
	}
	return 0;
}

static int morestack(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	prologue_stop_settle(m, s, e->ts_ns);
	int err = call_pop_deeper(m, s, e->depth, e->ts_ns, CALL_INFERRED);
	struct frame *f = top(s);

	if (err || !f || f->depth != e->depth || f->func != func || f->flags & FRAME_TAILED)
		return err;
	/* it has run: the stopped call is another one, whose first entry is missing */
	if (f->child_ns) {
		f->flags |= FRAME_SUSPECT;
		return call_pop(m, s, e->ts_ns, CALL_INFERRED);
	}
	f->flags |= FRAME_STOPPED;
	prologue_stop_begin(m, s, e->depth, STOP_ANY, true, f->start_ns);
	return 0;
}

/* May the stopped func, STOP_ANY when not known, be this very call, or what it jumped to? */
static bool awaits(const struct frame *f, uint32_t func)
{
	return f->flags & FRAME_STOPPED ||
	       (f->flags & FRAME_TAILED && (func == STOP_ANY || func == f->target));
}

static int prologue_stop(struct model *m, struct stack *s, const struct event *e, uint64_t pc)
{
	struct prologue_stop *p = &s->stop;
	uint32_t func = prologue_stop_func(m, pc);
	struct frame *f;
	int err;

	if (p->active && p->depth == e->depth && p->func == STOP_ANY)
		func = STOP_ANY; /* EV_MORESTACK began it */
	if (p->active && (p->depth != e->depth || p->func != func || func == STOP_UNPROBED))
		prologue_stop_settle(m, s, e->ts_ns);
	/* The stopped function is being called, so what was at its depth or deeper is over. */
	err = call_pop_deeper(m, s, e->depth, e->ts_ns, CALL_INFERRED);
	while (!err && (f = top(s)) && f->depth == e->depth && !awaits(f, func)) {
		f->flags |= FRAME_SUSPECT;
		err = call_pop(m, s, e->ts_ns, CALL_INFERRED);
	}
	if (!err)
		prologue_stop_begin(m, s, e->depth, func, false, e->ts_ns);
	return err;
}

/* What goes on between functions: kinds whose site names one. */
static int pair_func_event(struct model *m, const struct event *e)
{
	if (e->site >= m->n_sites || m->sites[e->site].func == TRACE_NONE ||
	    is_released(m, m->sites[e->site].func)) {
		m->totals.bad_events++;
		return 0;
	}
	bool system = e->flags & EVF_SYSTEM;
	struct stack *s = stack_get(m, system, system ? e->tid : e->goid, e->ts_ns);
	struct site_ref site = m->sites[e->site];
	int err;

	if (!s)
		return -errno;
	s->info.last_ns = e->ts_ns;
	s->label = e->goid;
	note_way(m, e);
	states_own(m, s, e);
	switch (e->kind) {
	case EV_ENTRY:
		return entry(m, s, e, site.func);
	case EV_EXIT:
		return leave(m, s, e, site.func);
	case EV_TAIL:
		return tail(m, s, e, site.func, site.target);
	case EV_ENTRY_EXIT:
		err = entry(m, s, e, site.func);
		return err ? err : leave(m, s, e, site.func);
	case EV_ENTRY_TAIL:
		err = entry(m, s, e, site.func);
		return err ? err : tail(m, s, e, site.func, site.target);
	default:
		return morestack(m, s, e, site.func);
	}
}

/* What happens to a goroutine as a whole, wherever it was noticed. */
static int pair_goroutine_event(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct stack *s;

	if (e->kind == EV_END) {
		s = stack_find(&m->goroutines, e->goid);
		if (!s)
			return 0;
		s->info.last_ns = e->ts_ns;
		s->info.ended = true;
		return life_retire(m, s, e->ts_ns, CALL_UNWOUND);
	}
	s = stack_get(m, false, e->goid, e->ts_ns);
	if (!s)
		return -errno;
	s->info.last_ns = e->ts_ns;
	states_own(m, s, e);
	if (e->kind == EV_STOP)
		return prologue_stop(m, s, e, arg[0]);
	if (e->kind == EV_RESUME) {
		prologue_stop_resume(s, arg[2], e->ts_ns);
		states_resume(m, s, arg[2], e->ts_ns);
		return 0;
	}
	prologue_stop_settle(m, s, e->ts_ns);
	return call_pop_deeper(m, s, e->depth, e->ts_ns, CALL_UNWOUND);
}

static inline int pair(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct model_totals *t = &m->totals;
	int err = 0;

	if (__builtin_expect(e->kind == EV_SAMPLE, 0))
		return sampled_apply(m, e, arg);
	if (__builtin_expect(!t->events++, 0) && !m->begun)
		t->first_ns = t->from_ns = e->ts_ns;
	switch (e->kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		err = pair_func_event(m, e);
		break;
	case EV_STOP:
	case EV_RESUME:
	case EV_END:
	case EV_UNWIND:
		err = pair_goroutine_event(m, e, arg);
		break;
	case EV_CREATE:
		err = life_create(m, e, arg);
		break;
	case EV_LOSS:
		err = loss_apply(m, e, arg);
		break;
	case EV_IMAGE:
		err = life_image(m, e->ts_ns);
		break;
	case EV_RELEASED:
		err = release_apply(m, e);
		break;
	case EV_WINDOW:
		err = window_apply(m, e, arg);
		break;
	case EV_STATE:
	case EV_WAKE:
		err = states_apply(m, e);
		break;
	default:
		t->bad_events++;
		return 0;
	}
	if (e->ts_ns > t->last_ns)
		t->last_ns = e->ts_ns;
	return err ? err : m->states_err;
}

int model_feed(struct model *m, const struct event_ext *ev)
{
	return pair(m, &ev->h, ev->arg);
}

int model_feed_span(struct model *m, const struct trace_span *span)
{
	static const uint64_t none[4];
	size_t i = 0;
	int err = 0;

	for (size_t k = 0; !err && k <= span->n_args; k++) {
		size_t next = k < span->n_args ? span->arg_at[k] : span->n;

		for (; !err && i < next; i++)
			err = pair(m, &span->ev[i], none);
		if (!err && i < span->n)
			err = pair(m, &span->ev[i++], span->args[k]);
	}
	return err;
}

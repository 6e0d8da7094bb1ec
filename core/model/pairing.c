// SPDX-License-Identifier: BSD-2-Clause
/*
 * One event at a time: the rules by which entries and exits become calls.
 *
 * A frame is known by its stack and depth. Two open calls share a depth only
 * when the lower one jumped to the upper one (FRAME_TAILED).
 */
#include <errno.h>

#include "model/model_internal.h"

/* For the calls that the event will begin or end: how it came about. */
static inline void note_way(struct model *m, const struct event *e)
{
	bool both = e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL;
	unsigned how = EVF_HOW(e->flags) <= HOW_MAX ? EVF_HOW(e->flags) : HOW_UNKNOWN;

	m->entry_code = path_event_code(both ? ROLE_BOTH : ROLE_ENTRY, how);
	m->exit_code = both ? NO_EVENT : path_event_code(ROLE_EXIT, how);
}

/* Something happened in the innermost open call. 0 or -ENOMEM. */
static int note_inside(struct model *m, struct stack *s, const struct event *e)
{
	unsigned how = EVF_HOW(e->flags) <= HOW_MAX ? EVF_HOW(e->flags) : HOW_UNKNOWN;

	return s->n && !(top(s)->flags & FRAME_MUTED)
		       ? path_events_add(&m->paths.events, top(s)->path,
					 path_event_code(ROLE_INSIDE, how))
		       : 0;
}

/* A frame whose second entry is missing has evidently run. */
static void ran_after_all(struct frame *f)
{
	if (f && f->flags & FRAME_STOPPED)
		f->flags = (f->flags & ~FRAME_STOPPED) | FRAME_SUSPECT;
}

static int entered_again(struct model *m, struct stack *s, const struct event *e)
{
	struct frame *f = top(s);

	f->flags &= ~FRAME_STOPPED;
	if (e->ts_ns <= s->lost_until_ns || e->ts_ns <= m->lost_until_ns)
		f->flags |= FRAME_SUSPECT;
	f->start_ns = e->ts_ns;
	f->tid = e->tid;
	if (s->stop.active)
		prologue_stop_entered(m, s, e->ts_ns);
	call_begun(m, s, f);
	return 0;
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
	ran_after_all(f);
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
		ran_after_all(f);
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
		return e->kind == EV_TAIL ? note_inside(m, s, e) : 0;
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

/* Ends what is open on the stack and lets go of it. */
static int retire(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end)
{
	int err = call_pop_all(m, s, ts_ns, end);

	if (!err)
		stack_drop(m, s);
	return err;
}

static int retire_table(struct model *m, struct stack_table *t, uint64_t ts_ns)
{
	int err = 0;

	/* In the order of the hash table, since stored outputs have it. Removal moves later slots
	 * into the hole, never to one before i. */
	for (size_t i = 0; !err && i < t->by_id.n_slots; i++)
		while (!err && t->by_id.slots[i].used)
			err = retire(m, t->stacks[t->by_id.slots[i].used - 1], ts_ns,
				     CALL_UNFINISHED);
	return err;
}

int pair_end_all(struct model *m, uint64_t ts_ns)
{
	int err = retire_table(m, &m->goroutines, ts_ns);

	return err ? err : retire_table(m, &m->threads, ts_ns);
}

static int create(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct stack *creator = e->goid ? stack_get(m, false, e->goid, e->ts_ns) : NULL;
	uint32_t root = 0;
	int err = 0;

	if (e->goid && !creator)
		return -errno;
	if (creator) {
		creator->info.last_ns = e->ts_ns;
		root = creator->n ? top(creator)->path : creator->root;
		err = note_inside(m, creator, e);
	} else if (arg[0] != 1) { /* goroutine 1 is made before there is any, and is no timer's */
		err = paths_timer(&m->paths, &root);
	}
	/* A goroutine of that number that is still open was another's: its end was lost. */
	struct stack *child = stack_find(&m->goroutines, arg[0]);

	if (!err && child && arg[0] != e->goid)
		err = retire(m, child, e->ts_ns, CALL_INFERRED);
	if (err)
		return err;
	child = stack_get(m, false, arg[0], e->ts_ns);
	if (!child)
		return -errno;
	child->go_edge = root || e->goid;
	child->root = root;
	child->root_pc = arg[1];
	child->info.creator = e->goid;
	child->info.create_pc = arg[1];
	child->info.start_pc = arg[2];
	return 0;
}

static int image(struct model *m, uint64_t ts_ns)
{
	/* A loss record may name a later moment, which belongs to the new image. */
	uint64_t last_ns = m->totals.last_ns < ts_ns ? m->totals.last_ns : ts_ns;
	int err = 0;

	/* A gap of one goroutine that reaches into the new image: which goroutine it concerns there
	 * is not known.
	 */
	if (m->lost_one_until_ns > m->lost_until_ns)
		m->lost_until_ns = m->lost_one_until_ns;
	if (m->image_seen || m->totals.calls)
		err = pair_end_all(m, last_ns);
	/* The start code has run on a system stack, but no goroutine has: still the first image. */
	if (m->image_seen || m->totals.goroutines)
		m->image++;
	m->image_seen = true;
	m->totals.images = m->image + 1;
	return err;
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
		return retire(m, s, e->ts_ns, CALL_UNWOUND);
	}
	s = stack_get(m, false, e->goid, e->ts_ns);
	if (!s)
		return -errno;
	s->info.last_ns = e->ts_ns;
	if (e->kind == EV_STOP)
		return prologue_stop(m, s, e, arg[0]);
	if (e->kind == EV_RESUME) {
		prologue_stop_resume(s, arg[2], e->ts_ns);
		return 0;
	}
	prologue_stop_settle(m, s, e->ts_ns);
	return call_pop_deeper(m, s, e->depth, e->ts_ns, CALL_UNWOUND);
}

static inline int pair(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct model_totals *t = &m->totals;
	int err = 0;

	if (__builtin_expect(!t->events++, 0))
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
		err = create(m, e, arg);
		break;
	case EV_LOSS:
		err = loss_apply(m, e, arg);
		break;
	case EV_IMAGE:
		err = image(m, e->ts_ns);
		break;
	case EV_RELEASED:
		err = release_apply(m, e);
		break;
	default:
		t->bad_events++;
		return 0;
	}
	if (e->ts_ns > t->last_ns)
		t->last_ns = e->ts_ns;
	return err;
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

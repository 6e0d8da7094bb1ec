/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules by which entries and exits become calls, one event at a time, for every client.
 *
 * A frame is identified by its stack and depth. Two open calls share a depth only when the lower
 * one jumped to the upper one (PAIR_TAILED).
 *
 * One file of a client includes this, behind frames.h. PAIR_CLIENT has `goroutines` and `threads`,
 * tables with `PAIR_STACK **all` and `size_t n`. That file defines pair_ops, the consequences of
 * events. The compiler knows it and inlines its functions.
 */

/* The consequences of a rule. A result of type int is 0 or -errno. A function may be NULL and then
 * does nothing. find, get and push may not be NULL. */
struct pair_ops {
	PAIR_STACK *(*find)(PAIR_CLIENT *c, bool system, uint64_t id); /* NULL when not there */
	/* finds or makes the stack; NULL with errno on an error */
	PAIR_STACK *(*get)(PAIR_CLIENT *c, bool system, uint64_t id, uint64_t ts_ns);
	/* an event of s comes; called before all else */
	void (*own)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e);

	/* a call begins: puts a frame on top */
	int (*push)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint32_t func);
	/* The event that began a call is an end, too. With false the client calls pair_rest
	 * later. */
	bool (*goes_on)(PAIR_CLIENT *c);
	/* the top call, which was PAIR_STOPPED, begins anew (again) or has continued unseen
	 * (ran) */
	int (*again)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e);
	void (*ran)(PAIR_CLIENT *c, PAIR_STACK *s);
	bool (*has_run)(const PAIR_FRAME *f); /* calls were made in it */
	/* the call of an event is open and the top one, or it is not */
	void (*sought)(PAIR_CLIENT *c, PAIR_STACK *s, bool found);
	/* its call is about to end */
	void (*exits)(PAIR_CLIENT *c, const struct event *e, uint32_t func);
	/* the top call has jumped to a function and waits for it, or has called morestack */
	int (*tailed)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e);
	void (*morestack)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e);

	/* returns whether any prologue is stopped on s; an entry comes that may be its; that entry
	 * was pushed */
	bool (*is_stopped)(const PAIR_STACK *s);
	void (*entry_at_stop)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint32_t func);
	void (*entered)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e);
	/* EV_STOP in func, STOP_ANY or STOP_UNPROBED. stop returns the function that it knows
	 * better. For stopped, calls that the event shows to be over have been popped. resume is
	 * for EV_RESUME. */
	uint32_t (*stop)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint32_t func);
	int (*stopped)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint32_t func);
	void (*resume)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, const uint64_t arg[4]);

	/* end is for EV_END. At drop no call is open on s any more, and s is gone. */
	void (*end)(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e);
	int (*drop)(PAIR_CLIENT *c, PAIR_STACK *s, uint64_t ts_ns, enum call_end end);
	/* EV_RELEASED: called on each stack, and at last once for all */
	void (*release)(PAIR_CLIENT *c, PAIR_STACK *s, uint32_t func);
	void (*released)(PAIR_CLIENT *c, const struct event *e);
	void (*bad)(PAIR_CLIENT *c); /* the event makes no sense */
	/* events that are the client's own */
	int (*create)(PAIR_CLIENT *c, const struct event *e, const uint64_t arg[4]);
	int (*loss)(PAIR_CLIENT *c, const struct event *e, const uint64_t arg[4]);
	int (*image)(PAIR_CLIENT *c, const struct event *e);
	int (*window)(PAIR_CLIENT *c, const struct event *e, const uint64_t arg[4]);
	int (*state)(PAIR_CLIENT *c, const struct event *e);
	int (*sample)(PAIR_CLIENT *c, const struct event *e, const uint64_t arg[4]);
};
static const struct pair_ops pair_ops;

/* The kinds of an event of a function. */
#define PAIR_ENTERS  1
#define PAIR_RETURNS 2
#define PAIR_JUMPS   4
#define PAIR_GROWS   8 /* calls morestack */

#define PAIR_NO_KIND 1

/* Calls a function of pair_ops if it is there. */
#define PAIR_DO(op, ...)                          \
	do {                                      \
		if (pair_ops.op)                  \
			pair_ops.op(__VA_ARGS__); \
	} while (0)
/* Returns the result of a function of pair_ops, or 0 without it. */
#define PAIR_ASK(op, ...) (pair_ops.op ? pair_ops.op(__VA_ARGS__) : 0)

/* Notes that a frame whose second entry is missing has run. */
static inline void pair_ran_after_all(PAIR_CLIENT *c, PAIR_STACK *s)
{
	PAIR_FRAME *f = pair_top(s);

	if (!f || !(f->flags & PAIR_STOPPED))
		return;
	f->flags &= (__typeof__(f->flags))~PAIR_STOPPED;
	f->flags |= PAIR_SUSPECT;
	PAIR_DO(ran, c, s);
}

/* Returns true when f waits for func to return in its place. */
static inline bool pair_waits_for(const PAIR_FRAME *f, uint32_t func)
{
	return f->flags & PAIR_TAILED && f->target == func;
}

/* ---- events of functions */

__attribute__((noinline)) static int pair_enter_slow(PAIR_CLIENT *c, PAIR_STACK *s,
						     const struct event *e, uint32_t func)
{
	PAIR_FRAME *f;

	PAIR_DO(entry_at_stop, c, s, e, func);
	int err = pair_pop_deeper(c, s, e->depth, e->ts_ns, CALL_INFERRED);

	if (err)
		return err;
	f = pair_top(s);
	if (f && f->depth == e->depth && f->flags & PAIR_STOPPED && f->func == func) {
		f->flags &= (__typeof__(f->flags))~PAIR_STOPPED;
		return PAIR_ASK(again, c, s, e);
	}
	while (!err && (f = pair_top(s)) && f->depth == e->depth && !pair_waits_for(f, func))
		err = pair_pop(c, s, e->ts_ns, CALL_INFERRED);
	if (err)
		return err;
	pair_ran_after_all(c, s);
	err = pair_ops.push(c, s, e, func);
	if (!err)
		PAIR_DO(entered, c, s, e);
	return err;
}

static inline int pair_enter(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint32_t func)
{
	const PAIR_FRAME *f = pair_top(s);

	/* The event is nearly always deeper than the open calls, and nothing was stopped. */
	if (__builtin_expect((!f ||
			      (pair_deeper(s, e->depth, f->depth) && !(f->flags & PAIR_STOPPED))) &&
				     !PAIR_ASK(is_stopped, s),
			     1))
		return pair_ops.push(c, s, e, func);
	return pair_enter_slow(c, s, e, func);
}

/* Ends the calls that jumped to the one that has just ended at this depth. */
static inline int pair_pop_tailed(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e,
				  enum call_end end)
{
	int err = 0;

	while (!err && s->n && pair_top(s)->depth == e->depth && pair_top(s)->flags & PAIR_TAILED)
		err = pair_pop(c, s, e->ts_ns, end);
	return err;
}

/* Makes the frame of func at e's depth the top one. *found is true when it is there. A frame there
 * that waits for func to return stays. Any other is closed. */
__attribute__((noinline)) static int pair_seek(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e,
					       uint32_t func, bool *found)
{
	pair_settle(c, s, e->ts_ns);
	int err = pair_pop_deeper(c, s, e->depth, e->ts_ns, CALL_INFERRED);
	PAIR_FRAME *f = pair_top(s);

	*found = !err && f && f->depth == e->depth && f->func == func && !(f->flags & PAIR_TAILED);
	if (err)
		return err;
	PAIR_DO(sought, c, s, *found);
	if (*found) {
		pair_ran_after_all(c, s);
		return 0;
	}
	return f && f->depth == e->depth && !pair_waits_for(f, func)
		       ? pair_pop(c, s, e->ts_ns, CALL_INFERRED)
		       : 0;
}

static inline int pair_leave(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint32_t func)
{
	const PAIR_FRAME *f = pair_top(s);
	/* It is nearly always the top frame, and nothing was stopped. */
	bool found = f && f->depth == e->depth && f->func == func &&
		     !(f->flags & (PAIR_TAILED | PAIR_STOPPED)) && !PAIR_ASK(is_stopped, s);
	int err = 0;

	if (__builtin_expect(found, 1))
		PAIR_DO(sought, c, s, true);
	else
		err = pair_seek(c, s, e, func, &found);
	PAIR_DO(exits, c, e, func);
	if (!err && found)
		err = pair_pop(c, s, e->ts_ns, CALL_FINISHED);
	return err ? err : pair_pop_tailed(c, s, e, CALL_FINISHED);
}

__attribute__((noinline)) static int pair_jump(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e,
					       struct pair_site site)
{
	bool found;
	int err = pair_seek(c, s, e, site.func, &found);

	if (err)
		return err;
	if (site.target == TRACE_NONE || pair_is_released(&c->pair, site.target)) {
		if (found) /* no exit of its target will come */
			err = pair_pop(c, s, e->ts_ns, CALL_TAIL);
		return err ? err : pair_pop_tailed(c, s, e, CALL_TAIL);
	}
	PAIR_FRAME *f = pair_top(s);

	/* When it is not found, the frame that waits at this depth now waits for the new target. */
	if (!found && !(f && f->depth == e->depth && f->flags & PAIR_TAILED))
		return 0;
	f->flags |= PAIR_TAILED;
	f->target = site.target;
	return PAIR_ASK(tailed, c, s, e);
}

__attribute__((noinline)) static int pair_grow(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e,
					       uint32_t func)
{
	pair_settle(c, s, e->ts_ns);
	int err = pair_pop_deeper(c, s, e->depth, e->ts_ns, CALL_INFERRED);
	PAIR_FRAME *f = pair_top(s);

	if (err || !f || f->depth != e->depth || f->func != func || f->flags & PAIR_TAILED)
		return err;
	/* it has run, so the stopped call is another one, whose first entry is missing */
	if (PAIR_ASK(has_run, f))
		return pair_pop(c, s, e->ts_ns, CALL_INFERRED);
	f->flags |= PAIR_STOPPED;
	PAIR_DO(morestack, c, s, e);
	return 0;
}

/* Applies the end of an event that was a beginning, too. */
static inline int pair_rest(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, unsigned what)
{
	struct pair_site site = pair_site(&c->pair, e->site);

	if (what & PAIR_RETURNS)
		return pair_leave(c, s, e, site.func);
	return what & PAIR_JUMPS ? pair_jump(c, s, e, site) : 0;
}

__attribute__((always_inline)) static inline int pair_func_event(PAIR_CLIENT *c,
								 const struct event *e,
								 unsigned what)
{
	const struct pair_site site = pair_site(&c->pair, e->site);
	bool system = e->flags & EVF_SYSTEM;
	int err;

	if (site.func == TRACE_NONE || pair_is_released(&c->pair, site.func)) {
		PAIR_DO(bad, c);
		return 0;
	}
	PAIR_STACK *s = pair_ops.get(c, system, system ? e->tid : e->goid, e->ts_ns);

	if (!s)
		return -errno;
	PAIR_DO(own, c, s, e);
	if (what & PAIR_GROWS)
		return pair_grow(c, s, e, site.func);
	if (what & PAIR_ENTERS) {
		err = pair_enter(c, s, e, site.func);
		if (err || (pair_ops.goes_on && !pair_ops.goes_on(c)))
			return err;
	}
	return pair_rest(c, s, e, what);
}

/* ---- events of goroutines */

/* Returns true when the stopped func may be this very call, or the function that it jumped to. func
 * is STOP_ANY when not known. */
static inline bool pair_awaits(const PAIR_FRAME *f, uint32_t func)
{
	return f->flags & PAIR_STOPPED ||
	       (f->flags & PAIR_TAILED && (func == STOP_ANY || func == f->target));
}

/* Applies EV_STOP. The stopped function is being called, so calls at its depth or deeper are
 * over. */
static inline int pair_stop(PAIR_CLIENT *c, PAIR_STACK *s, const struct event *e, uint64_t pc)
{
	uint32_t func = pair_stop_func(&c->pair, pc);
	const PAIR_FRAME *f;

	if (pair_ops.stop)
		func = pair_ops.stop(c, s, e, func);
	int err = pair_pop_deeper(c, s, e->depth, e->ts_ns, CALL_INFERRED);

	while (!err && (f = pair_top(s)) && f->depth == e->depth && !pair_awaits(f, func))
		err = pair_pop(c, s, e->ts_ns, CALL_INFERRED);
	return err ? err : PAIR_ASK(stopped, c, s, e, func);
}

/* Ends all open calls on s, and s itself. */
static inline int pair_retire(PAIR_CLIENT *c, PAIR_STACK *s, uint64_t ts_ns, enum call_end end)
{
	int err = pair_pop_all(c, s, ts_ns, end);

	return err ? err : PAIR_ASK(drop, c, s, ts_ns, end);
}

/* Ends another goroutine with the number of a new one. It has ended unseen. */
static inline int pair_end_other(PAIR_CLIENT *c, const struct event *e, uint64_t goid)
{
	PAIR_STACK *s = goid != e->goid ? pair_ops.find(c, false, goid) : NULL;

	return s ? pair_retire(c, s, e->ts_ns, CALL_INFERRED) : 0;
}

__attribute__((noinline)) static int pair_goroutine_event(PAIR_CLIENT *c, const struct event *e,
							  const uint64_t arg[4])
{
	PAIR_STACK *s = pair_ops.get(c, false, e->goid, e->ts_ns);

	if (!s)
		return -errno;
	PAIR_DO(own, c, s, e);
	if (e->kind == EV_STOP)
		return pair_stop(c, s, e, arg[0]);
	if (e->kind == EV_RESUME) {
		PAIR_DO(resume, c, s, e, arg);
		return 0;
	}
	pair_settle(c, s, e->ts_ns);
	return pair_pop_deeper(c, s, e->depth, e->ts_ns, CALL_UNWOUND);
}

static inline int pair_end(PAIR_CLIENT *c, const struct event *e)
{
	PAIR_STACK *s = pair_ops.find(c, false, e->goid);

	if (!s)
		return 0;
	PAIR_DO(end, c, s, e);
	return pair_retire(c, s, e->ts_ns, CALL_UNWOUND);
}

/* ---- released functions */

/* Returns true when frame i ends by an event of func that will not come. Callers ask from the top
 * down. */
static inline bool pair_ends_by(const PAIR_STACK *s, size_t i, uint32_t func)
{
	const PAIR_FRAME *f = &s->frames[i], *above = i + 1 < s->n ? f + 1 : NULL;

	if (!(f->flags & PAIR_TAILED))
		return f->func == func;
	/* Its target may have jumped on. Then the exit of the last one is theirs. */
	return above && above->depth == f->depth ? above->flags & PAIR_RELEASED : f->target == func;
}

static inline int pair_release_on(PAIR_CLIENT *c, PAIR_STACK *s, uint32_t func, uint64_t ts_ns)
{
	size_t before = c->pair.n_released_open;

	PAIR_DO(release, c, s, func);
	for (size_t i = s->n; i-- > 0;)
		if (!(s->frames[i].flags & PAIR_RELEASED) && pair_ends_by(s, i, func)) {
			s->frames[i].flags |= PAIR_RELEASED;
			c->pair.n_released_open++;
		}
	if (before == c->pair.n_released_open)
		return 0;
	pair_on_uncovered(c, s);
	if (!(pair_top(s)->flags & PAIR_RELEASED))
		return 0;
	pair_settle(c, s, ts_ns);
	return pair_pop(c, s, ts_ns, CALL_UNFINISHED);
}

/* Releases a function. An open call of it has run for as long as the open calls in it. So it ends
 * with them, or at once. */
static inline int pair_release(PAIR_CLIENT *c, const struct event *e)
{
	uint32_t func = pair_site(&c->pair, e->site).func;
	int err = 0;

	if (func == TRACE_NONE || pair_is_released(&c->pair, func)) {
		PAIR_DO(bad, c);
		return 0;
	}
	for (size_t i = 0; i < c->goroutines.n && !err; i++)
		err = pair_release_on(c, c->goroutines.all[i], func, e->ts_ns);
	for (size_t i = 0; i < c->threads.n && !err; i++)
		err = pair_release_on(c, c->threads.all[i], func, e->ts_ns);
	if (!err)
		err = pair_set_released(&c->pair, func, e->ts_ns);
	if (!err)
		PAIR_DO(released, c, e);
	return err;
}

/* ---- the rest */

/* Applies WINDOW_OVER: ends calls at that depth or deeper. */
static inline int pair_over(PAIR_CLIENT *c, const struct event *e)
{
	bool system = e->flags & EVF_SYSTEM;
	PAIR_STACK *s = pair_ops.find(c, system, system ? e->tid : e->goid);
	int err;

	if (!s)
		return 0;
	pair_settle(c, s, e->ts_ns);
	err = pair_pop_deeper(c, s, e->depth, e->ts_ns, CALL_INFERRED);
	while (!err && s->n && pair_top(s)->depth == e->depth)
		err = pair_pop(c, s, e->ts_ns, CALL_INFERRED);
	return err;
}

/* Applies an event. Returns 0, -errno, or PAIR_NO_KIND for an event of a newer gotrace. */
static inline int pair_event(PAIR_CLIENT *c, const struct event *e, const uint64_t arg[4])
{
	switch ((enum event_kind)e->kind) {
	case EV_ENTRY:
		return pair_func_event(c, e, PAIR_ENTERS);
	case EV_EXIT:
		return pair_func_event(c, e, PAIR_RETURNS);
	case EV_TAIL:
		return pair_func_event(c, e, PAIR_JUMPS);
	case EV_ENTRY_EXIT:
		return pair_func_event(c, e, PAIR_ENTERS | PAIR_RETURNS);
	case EV_ENTRY_TAIL:
		return pair_func_event(c, e, PAIR_ENTERS | PAIR_JUMPS);
	case EV_MORESTACK:
		return pair_func_event(c, e, PAIR_GROWS);
	case EV_STOP:
	case EV_RESUME:
	case EV_UNWIND:
		return pair_goroutine_event(c, e, arg);
	case EV_END:
		return pair_end(c, e);
	case EV_CREATE:
		return PAIR_ASK(create, c, e, arg);
	case EV_LOSS:
		return PAIR_ASK(loss, c, e, arg);
	case EV_IMAGE:
		return PAIR_ASK(image, c, e);
	case EV_RELEASED:
		return pair_release(c, e);
	case EV_WINDOW:
		return PAIR_ASK(window, c, e, arg);
	case EV_STATE:
	case EV_WAKE:
		return PAIR_ASK(state, c, e);
	case EV_SAMPLE:
		return PAIR_ASK(sample, c, e, arg);
	}
	return PAIR_NO_KIND;
}

// SPDX-License-Identifier: BSD-2-Clause
/* EV_STATE and EV_WAKE: what they say, and of whom. */
#include <errno.h>

#include "model/model_internal.h"

/* May the goroutine do that within the stop? */
static bool belongs(const struct stack *s, unsigned state, uint16_t reason)
{
	const struct prologue_stop *p = &s->stop;

	if (state == STATE_RUNNING || state == STATE_OFF_CPU)
		return true;
	if (!p->classed) /* EV_STOP says no more; morestack may do anything */
		return p->called &&
		       (state != STATE_WAITING || !p->off_now.wait_ns || p->reason == reason);
	if (p->why == STOP_YIELD)
		return state == STATE_RUNNABLE;
	return p->why == STOP_GC && state == STATE_RUNNABLE;
}

static void stop_over(struct model *m, struct stack *s, unsigned state, uint16_t reason,
		      uint64_t ts_ns)
{
	if (!s->stop.active || belongs(s, state, reason))
		return;
	prologue_stop_settle(m, s, ts_ns);
	struct frame *f = pair_top(s);

	if (!f || !(f->flags & PAIR_STOPPED))
		return;
	f->flags = (f->flags & ~PAIR_STOPPED) | PAIR_SUSPECT; /* it has gone on */
	states_ran(m, s);
}

/* The thread of s leaves its processor: that counts while s runs or is in a system call. */
static void tell_off(struct model *m, struct stack *s, const struct event *e)
{
	const uint16_t was = s->state.now;

	if (was == STATE_RUNNABLE || was == STATE_WAITING || was == STATE_OFF_CPU)
		return;
	states_change(m, s, STATE_OFF_CPU, (uint16_t)STATE_REASON(e->depth), e->ts_ns);
	s->state.was = was;
	s->state.off_tid = e->tid;
}

/* It has one again, and s is what it was before. The kernel says what it found in the program's
 * memory as the thread left: that may be from before what s told last, or from after it. */
static void tell_on(struct model *m, struct stack *s, const struct event *e)
{
	const struct stack_states *st = &s->state;

	if (st->now == STATE_UNKNOWN ||
	    (st->now == STATE_OFF_CPU && st->off_tid == e->tid && st->was == STATE_UNKNOWN))
		states_change(m, s, STATE_OF(e->depth), 0, e->ts_ns);
	else if (st->now == STATE_OFF_CPU && st->off_tid == e->tid)
		states_change(m, s, st->was, 0, e->ts_ns);
}

/* A switch of its thread, told by the kernel, which knows nothing of states. */
static void tell_switch(struct model *m, struct stack *s, const struct event *e)
{
	s->info.last_ns = e->ts_ns;
	if (states_lost(m, s, e->ts_ns))
		return;
	if (STATE_OF(e->depth) == STATE_OFF_CPU)
		tell_off(m, s, e);
	else
		tell_on(m, s, e);
}

/* What the goroutine that wakes s is in: as in state_span. Of a call that was left out the event
 * itself tells. With model_options.holds: the innermost call that acts for itself; or, where a
 * goroutine is in none, as its outermost call began before the recording, the last one of it that
 * ended while s waited. */
static uint32_t waker_func(const struct model *m, const struct event *wake, const struct stack *s,
			   const struct stack *waker)
{
	const struct frame *f = !waker         ? NULL
				: m->opt.holds ? holds_own(m, waker)
					       : states_charged(waker);

	const uint32_t of_site = wake->goid ? pair_site(&m->pair, wake->site).func : TRACE_NONE;

	if (of_site != TRACE_NONE)
		return of_site;
	if (!f && waker && m->opt.holds && waker->state.call_to_ns > s->state.from_ns)
		return waker->state.call_func;
	return !wake->goid ? WAKE_RUNTIME : f ? f->func : WAKE_NO_CALL;
}

/* An event says what state s is in; wake: the one that made it runnable, or NULL; waker: its
 * goroutine, NULL: none, or nothing is known of it. */
static void tell(struct model *m, struct stack *s, unsigned state, uint16_t reason,
		 const struct event *wake, struct stack *waker, uint64_t ts_ns)
{
	s->info.last_ns = ts_ns;
	if (states_lost(m, s, ts_ns))
		return; /* more may have happened since */
	/* the park that its own prologue told of */
	if (state == STATE_WAITING && s->state.now == STATE_WAITING &&
	    s->state.reason == REASON_PREEMPTED)
		return;
	if (state == STATE_RUNNABLE && s->state.now == STATE_RUNNABLE)
		return; /* who made it so is known */
	stop_over(m, s, state, reason, ts_ns);
	if (waker && m->opt.holds)
		holds_released(m, s, waker, ts_ns);
	if (wake)
		states_woken(m, s, wake->goid, waker_func(m, wake, s, waker), waker, ts_ns);
	else
		states_change(m, s, state, reason, ts_ns);
}

/* A switch, or that nothing is told of its states from there on. */
static int apply_to_known(struct model *m, const struct event *e)
{
	/* They begin no life: a switch comes behind the goroutine's end, too, when the thread
	 * leaves in the middle of runtime.gdestroy. */
	struct stack *s = e->flags & EVF_BEFORE ? stack_get(m, false, e->goid, e->ts_ns)
						: stack_find(&m->goroutines, e->goid);

	if (!s)
		return e->flags & EVF_BEFORE ? -errno : 0;
	if (e->depth) {
		tell_switch(m, s, e);
		return 0;
	}
	s->info.last_ns = e->ts_ns;
	states_forget(m, s, e->ts_ns, e->flags & EVF_DOUBT);
	return 0;
}

int states_apply(struct model *m, const struct event *e)
{
	const bool wake = e->kind == EV_WAKE;
	unsigned state = wake ? STATE_RUNNABLE : STATE_OF(e->depth);
	uint64_t goid = wake ? (e->goid & ~(uint64_t)UINT32_MAX) | e->depth : e->goid;

	if (!m->states || !goid || (!state && e->depth) || state > STATE_MAX ||
	    state == STATE_NEVER) {
		m->totals.bad_events += !m->opt.no_states;
		return 0;
	}
	if (!state || state == STATE_OFF_CPU || (!wake && STATE_IS_ON_CPU(e->depth)))
		return apply_to_known(m, e);
	struct stack *waker = wake && e->goid ? stack_find(&m->goroutines, e->goid) : NULL,
		     *s = stack_get(m, false, goid, e->ts_ns);

	if (!s)
		return -errno;
	tell(m, s, state, state == STATE_WAITING ? (uint16_t)STATE_REASON(e->depth) : 0,
	     wake ? e : NULL, waker, e->ts_ns);
	if (e->flags & EVF_BEFORE)
		return 0;
	/* What an event took is in the time of the waker. Of the two at the ends of a span one half
	 * each is in the time of the goroutine that runs before and after: charged with the last.
	 */
	if (wake)
		s = waker;
	return s && (wake || state == STATE_RUNNING) ? pair_inside(m, s, e) : 0;
}

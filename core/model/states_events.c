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
	struct frame *f = top(s);

	if (!f || !(f->flags & FRAME_STOPPED))
		return;
	f->flags = (f->flags & ~FRAME_STOPPED) | FRAME_SUSPECT; /* it has gone on */
	states_ran(m, s);
}

/* A switch of its thread, told by the kernel, which knows nothing of states: it counts while s
 * runs or is in a system call. */
static void tell_switch(struct model *m, struct stack *s, uint32_t depth, uint64_t ts_ns)
{
	const bool off = STATE_OF(depth) == STATE_OFF_CPU;
	const unsigned now = s->state.now;

	s->info.last_ns = ts_ns;
	if (states_lost(m, s, ts_ns) ||
	    (off ? now == STATE_RUNNABLE || now == STATE_WAITING || now == STATE_OFF_CPU
		 : now != STATE_OFF_CPU && now != STATE_UNKNOWN))
		return;
	states_change(m, s, STATE_OF(depth), off ? (uint16_t)STATE_REASON(depth) : 0, 0, ts_ns);
}

/* An event says what state s is in. */
static void tell(struct model *m, struct stack *s, unsigned state, uint16_t reason, uint64_t by,
		 uint64_t ts_ns)
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
	states_change(m, s, state, reason, by, ts_ns);
}

int states_apply(struct model *m, const struct event *e)
{
	unsigned state = e->kind == EV_WAKE ? STATE_RUNNABLE : STATE_OF(e->depth);
	uint64_t goid = e->kind == EV_WAKE ? (e->goid & ~(uint64_t)UINT32_MAX) | e->depth : e->goid;

	if (!m->states || !goid || !state || state > STATE_MAX || state == STATE_NEVER) {
		m->totals.bad_events += !m->opt.no_states;
		return 0;
	}
	struct stack *s = stack_get(m, false, goid, e->ts_ns);

	if (!s)
		return -errno;
	if (state == STATE_OFF_CPU || (e->kind == EV_STATE && STATE_IS_ON_CPU(e->depth))) {
		tell_switch(m, s, e->depth, e->ts_ns);
		return 0;
	}
	tell(m, s, state, state == STATE_WAITING ? (uint16_t)STATE_REASON(e->depth) : 0,
	     e->kind == EV_WAKE ? e->goid : 0, e->ts_ns);
	/* What an event took is in the time of the waker. Of the two at the ends of a span one half
	 * each is in the time of the goroutine that runs before and after: charged with the last.
	 */
	if (e->kind == EV_WAKE)
		s = e->goid ? stack_find(&m->goroutines, e->goid) : NULL;
	return s && (e->kind == EV_WAKE || state == STATE_RUNNING) ? pair_inside(m, s, e) : 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "keep/open_states.h"

#include <errno.h>

#include "keep/open_stacks.h"

/* As core/model/states.c: times of two clocks may differ by so much. */
#define OFF_CPU_DOUBT_NS 1000

static bool change(struct open_stack *s, uint32_t state, uint64_t ts_ns)
{
	if (s->state == state)
		return false;
	s->state_ns = ts_ns > s->state_ns ? ts_ns : s->state_ns;
	s->state = state;
	s->state_lost = false;
	return true;
}

bool open_states_own_slow(struct open_stack *s, const struct event *e)
{
	const unsigned now = STATE_OF(s->state);

	if (now == STATE_SYSCALL || s->state_lost ||
	    (now == STATE_OFF_CPU && e->ts_ns < s->state_ns + OFF_CPU_DOUBT_NS))
		return false;
	return change(s, STATE_RUNNING, e->ts_ns);
}

bool open_states_resume(struct open_stack *s, uint64_t why, uint64_t ts_ns)
{
	if (s->state_lost)
		return false;
	if (why == STOP_YIELD)
		return change(s, STATE_RUNNABLE, ts_ns);
	/* The runtime has a number for why, which is not known here. */
	return why == STOP_GC && change(s, STATE_DEPTH(STATE_WAITING, 0), ts_ns);
}

void open_states_created(struct open_stack *s, uint64_t ts_ns)
{
	if (!s->state_lost)
		change(s, STATE_RUNNABLE, ts_ns);
}

static void apply_switch(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	const unsigned now = STATE_OF(s->state);
	const uint32_t was = s->state;

	if (open_states_lost(o, s, e->ts_ns))
		return;
	if (STATE_OF(e->depth) == STATE_OFF_CPU) {
		if (now == STATE_RUNNABLE || now == STATE_WAITING || now == STATE_OFF_CPU)
			return;
		change(s, e->depth, e->ts_ns);
		s->off_was = was;
		s->off_tid = e->tid;
	} else if (now == STATE_UNKNOWN) {
		change(s, STATE_OF(e->depth), e->ts_ns);
	} else if (now == STATE_OFF_CPU && s->off_tid == e->tid) {
		change(s, s->off_was ? s->off_was : STATE_OF(e->depth), e->ts_ns);
	}
}

static void apply_to(struct open_calls *o, struct open_stack *s, const struct event *e)
{
	const uint32_t state = e->kind == EV_WAKE ? STATE_RUNNABLE : e->depth;

	if (!open_states_lost(o, s, e->ts_ns))
		change(s, STATE_OF(state) == STATE_WAITING ? state : STATE_OF(state), e->ts_ns);
}

int open_states_apply(struct open_calls *o, const struct event *e, struct open_stack **of)
{
	const bool wake = e->kind == EV_WAKE, before = e->flags & EVF_BEFORE;
	const unsigned state = wake ? STATE_RUNNABLE : STATE_OF(e->depth);
	const uint64_t goid = open_state_of(e);

	*of = NULL;
	if (!o->states || !goid || (!state && e->depth) || state > STATE_MAX ||
	    state == STATE_NEVER)
		return 0;
	if (state && state != STATE_OFF_CPU && (wake || !STATE_IS_ON_CPU(e->depth))) {
		*of = open_stacks_get(o, false, goid, e->ts_ns);
		if (!*of)
			return -ENOMEM;
		apply_to(o, *of, e);
		return 0;
	}
	*of = before ? open_stacks_get(o, false, goid, e->ts_ns)
		     : open_stacks_find(&o->goroutines, goid);
	if (!*of)
		return before ? -ENOMEM : 0;
	if (state) {
		apply_switch(o, *of, e);
		return 0;
	}
	change(*of, STATE_UNKNOWN, e->ts_ns);
	(*of)->state_lost |= !!(e->flags & EVF_DOUBT);
	return 0;
}

int open_states_lose(struct open_calls *o, const struct event *e, uint64_t until_ns)
{
	if (!o->states)
		return 0;
	if (e->flags & EVF_ALL) {
		o->lost_until_ns = until_ns > o->lost_until_ns ? until_ns : o->lost_until_ns;
		return 0;
	}
	o->lost_one_until_ns = until_ns > o->lost_one_until_ns ? until_ns : o->lost_one_until_ns;
	struct open_stack *s = open_stacks_find(&o->goroutines, e->goid);

	/* One that is not known yet may begin inside the gap, unless the gap is over. */
	if (!s && until_ns < o->last_ns)
		return 0;
	s = s ? s : open_stacks_get(o, false, e->goid, e->ts_ns);
	if (!s)
		return -ENOMEM;
	open_states_lost_from(s, e->ts_ns);
	s->lost_until_ns = until_ns > s->lost_until_ns ? until_ns : s->lost_until_ns;
	return 0;
}

void open_states_forget(struct open_calls *o)
{
	for (size_t i = 0; i < o->goroutines.n && o->states; i++)
		change(o->goroutines.all[i], STATE_UNKNOWN, o->goroutines.all[i]->state_ns);
}

void open_states_image(struct open_calls *o)
{
	if (o->lost_one_until_ns > o->lost_until_ns)
		o->lost_until_ns = o->lost_one_until_ns;
}

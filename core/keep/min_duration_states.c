// SPDX-License-Identifier: BSD-2-Clause
/*
 * States of goroutines. What happens in a call is passed on if the outermost call that is open then
 * is: where a call lasts long enough, all that it was made by does. Outside of calls nothing is. In
 * a short call that started a goroutine with a long one, states are unknown where its own callers
 * are left out.
 */
#include "keep/min_duration_internal.h"

struct event_ext min_duration_untold(uint64_t goid, const struct event *e)
{
	return (struct event_ext){ .h = { .ts_ns = e->ts_ns,
					  .goid = goid,
					  .site = TRACE_NONE,
					  .depth = STATE_UNKNOWN,
					  .tid = e->tid,
					  .kind = EV_STATE } };
}

/* Events that are not passed on tell of that state. */
static void tell(struct min_duration *m, struct pending_stack *l, const struct event *e,
		 uint32_t state)
{
	struct event_ext ev = min_duration_untold(l->id, e);

	ev.h.depth = state;
	ev.h.flags = EVF_BEFORE;
	if (STATE_OF(state) == STATE_OFF_CPU)
		ev.h.tid = l->off_tid;
	if (l->n)
		pending_note_more(&m->queue, l->frames[0].held, &(struct pending_now){ .ev = &ev });
}

/* As core/model/states.c: times of two clocks may differ by so much. */
#define OFF_CPU_DOUBT_NS 1000

void min_duration_ran(struct min_duration *m, struct pending_stack *l, const struct event *e)
{
	const unsigned state = STATE_OF(l->state);

	if (l->off && e->ts_ns >= l->off_ns + OFF_CPU_DOUBT_NS)
		l->off = 0;
	if (!m->states || l->system || l->lost || l->off || e->flags & EVF_BEFORE ||
	    state == STATE_RUNNING || state == STATE_SYSCALL)
		return;
	l->state = STATE_RUNNING;
	tell(m, l, e, STATE_RUNNING);
}

void min_duration_resumed(struct min_duration *m, struct pending_stack *l, const struct event *e,
			  uint64_t why)
{
	if (!m->states || l->lost || (why != STOP_YIELD && why != STOP_GC))
		return;
	/* The runtime has a number for why, which is not known here. */
	l->state = why == STOP_YIELD ? STATE_RUNNABLE : STATE_DEPTH(STATE_WAITING, 0);
	tell(m, l, e, l->state);
}

/* Its entry says that it runs, but neither in a system call nor after losses. */
void min_duration_begun(struct min_duration *m, struct pending_stack *l, const struct event *e)
{
	if (!m->states || l->system || l->n != 1 || l->lost)
		return;
	if (STATE_OF(l->state) == STATE_SYSCALL || (m->any_lost && l->state))
		tell(m, l, e, l->state);
	if (l->off)
		tell(m, l, e, l->off);
}

void min_duration_lost(struct min_duration *m, const struct event *loss)
{
	struct pending_stack *l;

	m->any_lost = true;
	if (loss->flags & EVF_ALL) {
		pending_stacks_lose(&m->goroutines);
		return;
	}
	l = pending_stacks_find(&m->goroutines, loss->goid);
	if (l) {
		l->state = STATE_UNKNOWN;
		l->lost = true;
	}
}

/* The call that the goroutine of a wake is in, which may not be passed on. */
static uint32_t waker_site(struct min_duration *m, const struct event *wake)
{
	const struct pending_stack *l = wake->goid ? pending_stacks_find(&m->goroutines, wake->goid)
						   : NULL;
	size_t n = l ? l->n : 0;

	if (n && l->frames[n - 1].flags & PAIR_STOPPED)
		n--;
	return n ? l->frames[n - 1].site : wake->site;
}

static void note(struct pending_stack *l, const struct event *e)
{
	const bool wake = e->kind == EV_WAKE, off = !wake && STATE_OF(e->depth) == STATE_OFF_CPU,
		   on = !wake && STATE_IS_ON_CPU(e->depth);
	const unsigned now = STATE_OF(l->state);

	if (off && (l->off || now == STATE_RUNNABLE || now == STATE_WAITING))
		return; /* of a thread that has left the goroutine */
	if (on && (l->off ? l->off_tid != e->tid : l->state != STATE_UNKNOWN))
		return; /* of another thread, or of one that an event has ended */
	l->lost = false;
	l->off = off ? e->depth : 0;
	l->off_tid = e->tid;
	l->off_ns = e->ts_ns;
	if (wake)
		l->state = STATE_RUNNABLE;
	else if (!off && !on)
		l->state = e->depth;
	else if (on && !l->state)
		l->state = STATE_OF(e->depth);
}

void min_duration_state(struct min_duration *m, const struct event *e)
{
	struct event_ext ev = { .h = *e };
	const bool wake = ev.h.kind == EV_WAKE;
	uint64_t goid = wake ? (ev.h.goid & ~(uint64_t)UINT32_MAX) | ev.h.depth : ev.h.goid;
	struct pending_stack *l = goid && m->states ? pending_stacks_find(&m->goroutines, goid)
						    : NULL;

	if (!l)
		return;
	if (wake)
		ev.h.site = waker_site(m, &ev.h);
	note(l, &ev.h);
	if (l->n)
		pending_note_more(&m->queue, l->frames[0].held, &(struct pending_now){ .ev = &ev });
}

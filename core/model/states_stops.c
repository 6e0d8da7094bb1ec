// SPDX-License-Identifier: BSD-2-Clause
/*
 * States while a prologue is stopped. That time is in no call's self time; but only the entry that
 * follows shows that all of it was the stop's. Until then it is charged to the call below, and
 * taken back from it.
 */
#include <errno.h>

#include "model/model_internal.h"

void states_stop_again(struct prologue_stop *p)
{
	off_times_add(&p->off_done, &p->off_now);
	p->off_now = (struct off_times){ 0 };
}

void states_stop_charge(struct model *m, struct stack *s, size_t at, bool segment, uint64_t ts_ns)
{
	struct prologue_stop *p = &s->stop;

	if (!has_states(m, s))
		return;
	states_advance(m, s, ts_ns);
	if (segment)
		states_stop_again(p);
	bool stopped = s->n && pair_top(s)->flags & PAIR_STOPPED;

	s->state.late = stopped ? p->off_now : (struct off_times){ 0 };
	s->state.late_reason = p->reason;
	if (at >= s->n)
		return;
	off_times_sub(&s->frame_states[at].self, &p->off_done);
	call_waits_add(m, s, at, p->reason, -p->off_done.wait_ns, 0);
	states_add_wait(m, &s->frames[at], p->reason, false, -p->off_done.wait_ns, 0);
	states_add_wait(m, &s->frames[at], p->reason, true, p->off_done.wait_ns, 0);
}

void states_restart(struct model *m, struct stack *s)
{
	if (!has_states(m, s))
		return;
	call_waits_pass(m, s);
	s->frame_states[s->n - 1] = (struct frame_states){ .before = s->state.off,
							   .waits = s->n_waits };
}

void states_ran(struct model *m, struct stack *s)
{
	struct stack_states *st = &s->state;
	struct frame_states *fs;

	if (!has_states(m, s) || !s->n)
		return;
	fs = &s->frame_states[s->n - 1];
	call_waits_pass(m, s);
	*fs = (struct frame_states){ .before = st->off, .self = st->late, .waits = s->n_waits };
	off_times_sub(&fs->before, &st->late);
	call_waits_add(m, s, s->n - 1, st->late_reason, st->late.wait_ns, st->late.wait_ns);
	states_add_wait(m, pair_top(s), st->late_reason, false, st->late.wait_ns, 0);
	if (s->n > 1) {
		off_times_sub(&fs[-1].self, &st->late);
		call_waits_add(m, s, s->n - 2, st->late_reason, -st->late.wait_ns,
			       -st->late.wait_ns);
		states_add_wait(m, &s->frames[s->n - 2], st->late_reason, false, -st->late.wait_ns,
				0);
	}
	st->late = (struct off_times){ 0 };
}

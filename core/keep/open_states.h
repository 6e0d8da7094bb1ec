/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the state of each goroutine while events pass, by the rules of core/model/states.c. The
 * state is recorded where recording begins. Private to core/keep.
 */
#ifndef GOTRACE_OPEN_STATES_H
#define GOTRACE_OPEN_STATES_H

#include "keep/open_calls.h"

/* Returns the goroutine whose state an event reports, for a wake the woken one. 0 for none. */
static inline uint64_t open_state_of(const struct event *e)
{
	return e->kind == EV_WAKE ? (e->goid & ~(uint64_t)UINT32_MAX) | e->depth : e->goid;
}

/* Returns true when events of s at ts_ns may be missing. */
static inline bool open_states_lost(const struct open_calls *o, const struct open_stack *s,
				    uint64_t ts_ns)
{
	return ts_ns <= s->lost_until_ns || ts_ns <= o->lost_until_ns;
}

/* Begins the state of a stack that is made at ts_ns. */
static inline void open_states_begin(const struct open_calls *o, struct open_stack *s,
				     uint64_t ts_ns)
{
	s->state_ns = ts_ns;
	s->state_lost = open_states_lost(o, s, ts_ns);
}

/* Notes by an event of the goroutine's own that it runs. Returns true when that is new. */
bool open_states_own_slow(struct open_stack *s, const struct event *e);
/* Applies the action `why` (STOP_*) of a prologue of s. Returns true when its state has changed. */
bool open_states_resume(struct open_stack *s, uint64_t why, uint64_t ts_ns);
void open_states_created(struct open_stack *s, uint64_t ts_ns);
/* Applies EV_STATE and EV_WAKE. The goroutine that they report goes into *of, NULL for none.
 * Returns 0 or -ENOMEM. */
int open_states_apply(struct open_calls *o, const struct event *e, struct open_stack **of);
/* Notes that events of s were lost from from_ns on. */
static inline void open_states_lost_from(struct open_stack *s, uint64_t from_ns)
{
	if (s->state != STATE_UNKNOWN && from_ns > s->state_ns)
		s->state_ns = from_ns;
	s->state = STATE_UNKNOWN;
	s->state_lost = true;
}

/* Applies EV_LOSS. A loss of all goroutines is applied to a stack when it is found (open_losses.c).
 * Returns 0 or -ENOMEM. */
int open_states_lose(struct open_calls *o, const struct event *e, uint64_t until_ns);
/* Forgets all states, because nothing was recorded. */
void open_states_forget(struct open_calls *o);
/* Notes that a new image begins. A loss of one goroutine then counts as a loss of all. */
void open_states_image(struct open_calls *o);

static inline bool open_states_own(const struct open_calls *o, struct open_stack *s,
				   const struct event *e)
{
	return __builtin_expect(o->states, 0) && s->state != STATE_RUNNING && !s->system &&
	       !(e->flags & EVF_BEFORE) && open_states_own_slow(s, e);
}

#endif

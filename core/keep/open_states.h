/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In which state each goroutine is, while events go by, by the rules of core/model/states.c: what
 * is told of it where recording begins. Private to core/keep.
 */
#ifndef GOTRACE_OPEN_STATES_H
#define GOTRACE_OPEN_STATES_H

#include "keep/open_calls.h"

/* The goroutine that an event tells the state of, or a wake's that is woken; 0: none. */
static inline uint64_t open_state_of(const struct event *e)
{
	return e->kind == EV_WAKE ? (e->goid & ~(uint64_t)UINT32_MAX) | e->depth : e->goid;
}

/* What is told of s then may not be all that happened. */
static inline bool open_states_lost(const struct open_calls *o, const struct open_stack *s,
				    uint64_t ts_ns)
{
	return ts_ns <= s->lost_until_ns || ts_ns <= o->lost_until_ns;
}

/* A stack is made, at ts_ns. */
static inline void open_states_begin(const struct open_calls *o, struct open_stack *s,
				     uint64_t ts_ns)
{
	s->state_ns = ts_ns;
	s->state_lost = open_states_lost(o, s, ts_ns);
}

/* An event of the goroutine's own: it runs. Returns whether that is new. */
bool open_states_own_slow(struct open_stack *s, const struct event *e);
/* A prologue of s did what `why` (STOP_*) says. Returns whether its state is another one. */
bool open_states_resume(struct open_stack *s, uint64_t why, uint64_t ts_ns);
void open_states_created(struct open_stack *s, uint64_t ts_ns);
/* EV_STATE and EV_WAKE: *of is the goroutine they tell of, NULL: of none. 0 or -ENOMEM */
int open_states_apply(struct open_calls *o, const struct event *e, struct open_stack **of);
/* Events of s were lost from from_ns on. */
static inline void open_states_lost_from(struct open_stack *s, uint64_t from_ns)
{
	if (s->state != STATE_UNKNOWN && from_ns > s->state_ns)
		s->state_ns = from_ns;
	s->state = STATE_UNKNOWN;
	s->state_lost = true;
}

/* EV_LOSS; one of all is applied when a stack is found: open_losses.c. 0 or -ENOMEM */
int open_states_lose(struct open_calls *o, const struct event *e, uint64_t until_ns);
/* Nothing was recorded: no state is known any more. */
void open_states_forget(struct open_calls *o);
/* A new image begins. */
void open_states_image(struct open_calls *o);

static inline bool open_states_own(const struct open_calls *o, struct open_stack *s,
				   const struct event *e)
{
	return __builtin_expect(o->states, 0) && s->state != STATE_RUNNING && !s->system &&
	       !(e->flags & EVF_BEFORE) && open_states_own_slow(s, e);
}

#endif

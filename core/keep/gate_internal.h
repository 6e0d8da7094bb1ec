/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to keep/gate*.c. */
#ifndef GOTRACE_GATE_INTERNAL_H
#define GOTRACE_GATE_INTERNAL_H

#include <stdatomic.h>

#include "keep/gate.h"
#include "keep/open_calls.h"

#define NO_CALL    UINT32_MAX
#define SWITCHES   64
#define SWEEP_FROM 20000
#define IDLE_NS    (60ull * 1000 * 1000 * 1000)

struct gate {
	struct gate_options opt;
	bool *trigger;
	struct open_calls open;
	struct gate_stats stats;
	int err;                     /* the first; nothing goes on after it */
	uint64_t last_ns, handed_ns; /* of the last event; of the last that was handed on */
	size_t sweep_at;
	/* events of the array at hand that are let through and not handed on yet */
	const struct event *run;
	size_t n_run;
	const struct trace_values *values; /* of the event that is given next; NULL: none */
	/* to be handed on behind the event at hand: what is told of one state at most */
	struct event_ext after[2];
	unsigned n_after;
	/* one_in: place in the group, which place is kept */
	uint64_t place, pick, random;
	bool random_used;
	/* switches to come, in order; written by another thread */
	_Atomic uint64_t switches[SWITCHES];
	atomic_uint n_asked;
	unsigned n_switched;
};

/* gate_out.c */
int gate_flush(struct gate *g);                             /* hands on the run: 0 or -errno */
void gate_emit(struct gate *g, const struct event_ext *ev); /* sets g->err */
void gate_emit_event(void *g, const struct event_ext *ev);  /* for struct window_begin */

/* A goroutine whose creation was not recorded is about to be. */
void gate_tell_goroutine(struct gate *g, struct open_stack *s, const struct event *e);

/* gate_calls.c */
/* An outermost call of the trigger begins: enum open_state. */
uint8_t gate_outermost(struct gate *g);
/* It was no call after all. */
void gate_take_back(struct gate *g, uint8_t state);
/* enum open_state of a goroutine; s NULL: nothing is known of it. */
uint8_t gate_goroutine_state(const struct gate *g, const struct open_stack *s);
/* What a call on s, above `below`, inherits. */
uint8_t gate_inherited(struct gate *g, const struct open_stack *s, const struct open_call *below,
		       uint64_t goid);
bool gate_level_kept(const struct gate *g, uint32_t level);
/* Of a call at depth, above `below`. */
uint32_t gate_level_of(const struct open_call *below, uint32_t depth);
/* The call whose prologue was stopped does not come. */
void gate_forget_ahead(struct gate *g, struct open_stack *s);
/* A call has begun: is it recorded? */
void gate_place(struct gate *g, struct open_stack *s, struct open_call *c);

/* gate_states.c */
/* EV_STATE and EV_WAKE, which tell of a goroutine, or of none that is known: is the event let
 * through as it is? */
bool gate_states_event(struct gate *g, const struct event *e, struct open_stack *of);
/* Recording begins: tells the state of a goroutine, after its calls. */
void gate_states_begin(struct gate *g, struct open_stack *s, uint64_t ts_ns);
/* The slow half of gate_states_settle. */
void gate_states_settle_slow(struct gate *g, const struct event *e, const struct open_change *ch,
			     bool pass);

/* An event was looked at, and is let through or not: its goroutine may be outside of what is
 * recorded now, or inside again, or in a state of which only this event tells. */
static inline void gate_states_settle(struct gate *g, const struct event *e,
				      const struct open_change *ch, bool pass)
{
	if (g->open.states && ch->stack && (g->trigger || (ch->restated && !pass)))
		gate_states_settle_slow(g, e, ch, pass);
}

/* gate_window.c */
/* Events that were left out in a call; before it ends. */
void gate_tell_left_out(struct gate *g, struct open_stack *s, struct open_call *c, uint64_t ts_ns);
void gate_tell_all_left_out(struct gate *g, uint64_t ts_ns);
/* The slow half of gate_switch_until. */
void gate_switch_now(struct gate *g, uint64_t now_ns);

/* Does what was asked for up to now. */
static inline void gate_switch_until(struct gate *g, uint64_t now_ns)
{
	if (__builtin_expect(
		    atomic_load_explicit(&g->n_asked, memory_order_relaxed) != g->n_switched, 0))
		gate_switch_now(g, now_ns);
}

#endif

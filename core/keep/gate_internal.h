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
	int err; /* the first error, which stops the gate */
	/* time of the last event, and of the last that was handed on */
	uint64_t last_ns, handed_ns;
	size_t sweep_at;
	/* events of the present array that are let through and not handed on yet */
	const struct event *run;
	size_t n_run;
	/* values of the event that is given next, NULL for none */
	const struct trace_values *values;
	/* Events to hand on behind the present event. They report at most one state. */
	struct event_ext after[2];
	unsigned n_after;
	/* for one_in: the place in the group, and the place that is kept */
	uint64_t place, pick, random;
	bool random_used;
	/* future switches, in order; another thread writes them */
	_Atomic uint64_t switches[SWITCHES];
	atomic_uint n_asked;
	unsigned n_switched;
};

/* gate_emit.c */
int gate_flush(struct gate *g);                             /* hands on the run; 0 or -errno */
void gate_emit(struct gate *g, const struct event_ext *ev); /* sets g->err */
void gate_emit_event(void *g, const struct event_ext *ev);  /* for struct window_begin */

/* Emits the creation of a goroutine, which was not recorded, before its first recorded event. With
 * a trigger it emits nothing, because paths begin at the trigger. */
void gate_tell_goroutine(struct gate *g, struct open_stack *s, const struct event *e);

/* gate_calls.c */
/* Decides about an outermost call of the trigger that begins. Returns enum open_state. */
uint8_t gate_outermost(struct gate *g);
/* Takes the decision back, because there was no call after all. */
void gate_take_back(struct gate *g, uint8_t state);
/* Returns enum open_state of a goroutine. s is NULL when nothing is known of it. */
uint8_t gate_goroutine_state(const struct gate *g, const struct open_stack *s);
/* Returns the enum open_state that a call on s, above `below`, inherits. */
uint8_t gate_inherited(struct gate *g, const struct open_stack *s, const struct open_call *below,
		       uint64_t goid);
bool gate_level_kept(const struct gate *g, uint32_t level);
/* Returns the level of a call at depth, above `below`. */
uint32_t gate_level_of(const struct open_call *below, uint32_t depth);
/* Notes that the call whose prologue was stopped does not come. */
void gate_forget_ahead(struct gate *g, struct open_stack *s);
/* Decides whether a call that has begun is recorded. */
void gate_place(struct gate *g, struct open_stack *s, struct open_call *c);

/* gate_states.c */
/* Returns true when an EV_STATE or EV_WAKE is let through unchanged. The argument `of` is the
 * goroutine that it reports, NULL when that is not known. */
bool gate_states_event(struct gate *g, const struct event *e, struct open_stack *of);
/* Emits the state of a goroutine, after its calls, when recording begins. */
void gate_states_begin(struct gate *g, struct open_stack *s, uint64_t ts_ns);
/* The slow half of gate_states_settle. */
void gate_states_settle_slow(struct gate *g, const struct event *e, const struct open_change *ch,
			     bool pass);

/* Updates the reported state of an event's goroutine, once the event was let through or not. The
 * goroutine may now be outside of the recorded part, or inside again. Or only this event has shown
 * its state. */
static inline void gate_states_settle(struct gate *g, const struct event *e,
				      const struct open_change *ch, bool pass)
{
	if (g->open.states && ch->stack && (g->trigger || (ch->restated && !pass)))
		gate_states_settle_slow(g, e, ch, pass);
}

/* gate_window.c */
/* Emits how many events were left out in a call, before the call ends. */
void gate_tell_left_out(struct gate *g, struct open_stack *s, struct open_call *c, uint64_t ts_ns);
void gate_tell_all_left_out(struct gate *g, uint64_t ts_ns);
/* The slow half of gate_switch_until. */
void gate_switch_now(struct gate *g, uint64_t now_ns);

/* Does the switches that are due up to now. */
static inline void gate_switch_until(struct gate *g, uint64_t now_ns)
{
	if (__builtin_expect(
		    atomic_load_explicit(&g->n_asked, memory_order_relaxed) != g->n_switched, 0))
		gate_switch_now(g, now_ns);
}

#endif

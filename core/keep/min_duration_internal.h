/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to keep/min_duration*.c. */
#ifndef GOTRACE_MIN_DURATION_INTERNAL_H
#define GOTRACE_MIN_DURATION_INTERNAL_H

#include "keep/pending_stacks.h"
#include "keep/min_duration.h"

struct min_duration {
	struct pairing pair;
	struct pending_queue queue;
	struct pending_stacks goroutines, threads;
	struct pending_now *now; /* the present event */
	bool states;             /* there are EV_STATE and EV_WAKE */
	bool any_lost;           /* events were lost */
	uint64_t last_ns;
};

/* min_duration_calls.c: gives an event to the spans that need it. Sets m->queue.err on an error. */
void min_duration_event(struct min_duration *m, struct pending_now *now);

/* min_duration_states.c: passes on states of goroutines while a call is open that is passed on. */
/* Handles EV_STATE and EV_WAKE. */
void min_duration_state(struct min_duration *m, const struct event *e);
/* Notes by an event of l's goroutine that it runs, before the event is looked at. */
void min_duration_ran(struct min_duration *m, struct pending_stack *l, const struct event *e);
/* Handles EV_RESUME. */
void min_duration_resumed(struct min_duration *m, struct pending_stack *l, const struct event *e,
			  uint64_t why);
/* Notes that a call has begun, the top one. */
void min_duration_begun(struct min_duration *m, struct pending_stack *l, const struct event *e);
void min_duration_lost(struct min_duration *m, const struct event *loss);
/* Returns the EV_STATE for a place behind e from which no state of the goroutine is passed on. Its
 * state is STATE_UNKNOWN. */
struct event_ext min_duration_untold(uint64_t goid, const struct event *e);

#endif

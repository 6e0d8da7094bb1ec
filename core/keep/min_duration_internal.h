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
	struct pending_now *now; /* the event that is being looked at */
	bool states;             /* there are EV_STATE and EV_WAKE */
	bool any_lost;           /* events were */
	uint64_t last_ns;
};

/* min_duration_calls.c: which events are of use to whom. Sets m->queue.err */
void min_duration_event(struct min_duration *m, struct pending_now *now);

/* min_duration_states.c: states of goroutines are passed on while a call is open that is. */
/* EV_STATE and EV_WAKE. */
void min_duration_state(struct min_duration *m, const struct event *e);
/* An event of l's goroutine: it runs. Before the event is looked at. */
void min_duration_ran(struct min_duration *m, struct pending_stack *l, const struct event *e);
/* EV_RESUME */
void min_duration_resumed(struct min_duration *m, struct pending_stack *l, const struct event *e,
			  uint64_t why);
/* A call has begun, the top one. */
void min_duration_begun(struct min_duration *m, struct pending_stack *l, const struct event *e);
void min_duration_lost(struct min_duration *m, const struct event *loss);
/* Behind e no state of the goroutine is passed on. */
struct event_ext min_duration_untold(uint64_t goid, const struct event *e);

#endif

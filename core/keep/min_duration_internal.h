/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to keep/min_duration*.c. */
#ifndef GOTRACE_MIN_DURATION_INTERNAL_H
#define GOTRACE_MIN_DURATION_INTERNAL_H

#include "keep/lanes.h"
#include "keep/min_duration.h"

struct min_duration {
	const struct trace_info *info;
	struct held_queue queue;
	struct lanes goroutines, threads;
	bool *released; /* by function */
	bool states;    /* there are EV_STATE and EV_WAKE */
	bool any_lost;  /* events were */
	uint64_t last_ns;
};

static inline struct held *top(const struct lane *l)
{
	return l->n ? l->calls[l->n - 1] : NULL;
}

/* NULL: no memory, m->queue.err */
struct lane *min_duration_lane(struct min_duration *m, bool system, uint64_t id);
/* `by`: the event that ends the top call; NULL: it only shows that the call is over. */
void min_duration_pop(struct min_duration *m, struct lane *l, const struct held_now *now,
		      struct held_now *by);
void min_duration_pop_deeper(struct min_duration *m, struct lane *l, uint32_t depth,
			     struct held_now *now, struct held_now *by);
/* What held a prologue up is over when anything else happens there. */
void min_duration_end_stop(struct min_duration *m, struct lane *l, const struct held_now *now);
/* An event between functions. */
void min_duration_call(struct min_duration *m, struct held_now *now);

/* min_duration_states.c: states of goroutines are passed on while a call is open that is. */
/* EV_STATE and EV_WAKE. */
void min_duration_state(struct min_duration *m, struct held_now *now);
/* An event of l's goroutine: it runs. Before the event is looked at. */
void min_duration_ran(struct min_duration *m, struct lane *l, const struct event *e);
/* EV_RESUME */
void min_duration_resumed(struct min_duration *m, struct lane *l, const struct event_ext *ev);
/* A call has begun, the top one. */
void min_duration_begun(struct min_duration *m, struct lane *l, const struct event *e);
void min_duration_lost(struct min_duration *m, const struct event *loss);
/* Behind e no state of the goroutine is passed on. */
struct event_ext min_duration_untold(uint64_t goid, const struct event *e);

#endif

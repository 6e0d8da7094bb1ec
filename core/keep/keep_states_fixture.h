/* SPDX-License-Identifier: BSD-2-Clause */
/* The kept events of random executions with states, which the model reads. The results are compared
 * with the truth. */
#ifndef GOTRACE_KEEP_STATES_FIXTURE_H
#define GOTRACE_KEEP_STATES_FIXTURE_H

#include "model/states_fixture.h"

struct kept_call {
	uint64_t self_ns;
	struct off_times self, total;
	unsigned n;  /* number of times that it was handed out */
	bool unsure; /* the true self time is not known to the nanosecond */
	bool apart;  /* the outermost call is left out, but this one is not */
};

struct kept {
	struct run *run;
	struct model *model;
	uint64_t from;   /* the truth counts from this nanosecond on */
	bool some_stops; /* some stopped prologues are left out */
	/* Where the outermost call is left out and one in it is not, states may be unknown. */
	bool of_outermost;
	/* by call of the truth: whether it must be there, and the call that was handed out */
	bool want[CALLS];
	struct kept_call calls[CALLS];
	uint64_t life_ns[GOROUTINES];
	struct off_times lives[GOROUTINES];
};

/* Begins a random execution, whose calls must all be there from `from` on. The caller ends it with
 * kept_end. */
void kept_begin(struct kept *k, uint64_t seed);
void kept_feed(struct kept *k, const struct event_ext *ev);
void kept_feed_many(struct kept *k, const struct event *ev, size_t n);
void kept_finish(struct kept *k);
void kept_end(struct kept *k);

/* Returns the number of the call that is open on goroutine g at that level at time t. */
int kept_number(const struct kept *k, unsigned g, unsigned t, unsigned level);
/* Asserts that exactly the wanted calls were handed out, each with its parts. Time in a call that
 * is not wanted is its caller's. */
void kept_same_calls(const struct kept *k);
void kept_same_life(const struct kept *k, unsigned g);
/* Asserts the wakers that ended the waits of wanted calls. */
void kept_same_wakes(const struct kept *k);

#endif

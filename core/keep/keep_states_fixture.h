/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of random executions with states, read by the model and compared with the truth. */
#ifndef GOTRACE_KEEP_STATES_FIXTURE_H
#define GOTRACE_KEEP_STATES_FIXTURE_H

#include "model/states_fixture.h"

struct kept_call {
	uint64_t self_ns;
	struct off_times self, total;
	unsigned n;  /* times that it was handed out */
	bool unsure; /* of the truth: self is not known to the nanosecond */
	bool apart;  /* the outermost call is left out, this one is not */
};

struct kept {
	struct run *run;
	struct model *model;
	uint64_t from;   /* the truth counts from that nanosecond on */
	bool some_stops; /* of stopped prologues some are left out */
	/* Where the outermost call is left out and one in it is not, states may be unknown. */
	bool of_outermost;
	/* by call of the truth: is it to be there? What was handed out */
	bool want[CALLS];
	struct kept_call calls[CALLS];
	uint64_t life_ns[GOROUTINES];
	struct off_times lives[GOROUTINES];
};

/* A random execution, of which all calls are to be there from `from` on. Free with kept_end. */
void kept_begin(struct kept *k, uint64_t seed);
void kept_feed(struct kept *k, const struct event_ext *ev);
void kept_feed_many(struct kept *k, const struct event *ev, size_t n);
void kept_finish(struct kept *k);
void kept_end(struct kept *k);

/* The number of the call that is open on a goroutine at that level then. */
int kept_number(const struct kept *k, unsigned g, unsigned t, unsigned level);
/* Exactly the calls that are wanted were handed out, each with its parts: time in a call that is
 * not wanted is its caller's. */
void kept_same_calls(const struct kept *k);
void kept_same_life(const struct kept *k, unsigned g);
/* Who ended the waits of calls that are wanted. */
void kept_same_wakes(const struct kept *k);

#endif

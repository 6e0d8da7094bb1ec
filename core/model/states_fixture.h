/* SPDX-License-Identifier: BSD-2-Clause */
/* Random executions of goroutines with states, of which every nanosecond is known. */
#ifndef GOTRACE_STATES_FIXTURE_H
#define GOTRACE_STATES_FIXTURE_H

#include "model/model.h"

#define FUNCS      4
#define GOROUTINES 4
#define TIME       400
#define BASE       1000 /* the first time of its clock */
#define DEEP       6
#define REASONS    3
#define CALLS      (GOROUTINES * TIME)

/* A goroutine's state in a nanosecond. */
struct moment {
	bool alive, held; /* held: in a stopped prologue */
	unsigned state, reason;
	int calls[DEEP], n; /* numbers of its open calls */
};

struct truth {
	struct moment at[GOROUTINES][TIME];
	struct {
		uint32_t func;
		uint64_t start_ns, end_ns;
		bool over;
	} calls[CALLS];
	size_t n_calls;
};

struct run {
	uint64_t rng;
	struct trace_info info;
	struct truth *truth;
	struct event_ext *events;
	size_t n;
	/* ns of waits of a function, by reason and by the function that ended them; FUNCS: a
	 * goroutine in no call did */
	uint64_t wakes[FUNCS][REASON_PREEMPTED + 1][FUNCS + 1];
	struct one {
		bool alive, created, ended, stopping;
		unsigned state, reason, was; /* was: before it had no processor */
		bool lost, was_lost;
		uint64_t why;
		int calls[DEEP], n;
	} g[GOROUTINES];
	/* the engine's answers */
	struct call_states said[CALLS];
	uint64_t waits[CALLS][2][REASON_PREEMPTED + 1]; /* self and total, by reason */
	uint64_t dur_ns[CALLS], self_ns[CALLS], span_ns[GOROUTINES], last_to_ns[GOROUTINES];
	struct off_times spans[GOROUTINES], lives[GOROUTINES];
	uint64_t life_ns[GOROUTINES];
	struct place {
		uint32_t func, reason;
		uint64_t ns, n;
		bool told;
	} places[GOROUTINES];
	size_t n_said;
};

/* Fills a zeroed *r: info, truth and events. */
void states_make(struct run *r, uint64_t seed);

#endif

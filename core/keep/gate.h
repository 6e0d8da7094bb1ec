/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets through the events that are to be recorded. It can choose calls that are not too deep, calls
 * inside calls of some functions, one of so many of these, and the time while recording is on. It
 * lets a call through or leaves it out as a whole, with all its events. So the remaining events
 * make sense on their own.
 *
 * One thread gives events and rounds. Another thread may call gate_switch.
 */
#ifndef GOTRACE_GATE_H
#define GOTRACE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct gate;

struct gate_options {
	const struct trace_info *info; /* functions and sites; borrowed */
	struct trace_sink next;        /* gets the events that are let through */
	uint32_t depth;                /* calls below so many others are left out, 0 for none */
	/* By function: true when goroutines are recorded in its calls, and those that are started
	 * in them. Copied. NULL to record everywhere. */
	const bool *trigger;
	/* one of so many outermost calls of the trigger is recorded; 0 and 1 mean all */
	uint64_t one_in;
	bool off; /* recording begins with gate_switch */
	/* Calls are not seen while recording is off. When it is switched on, calls that are open
	 * are not known, and not recorded. */
	bool rests;
	uint32_t why; /* WINDOW_BY_*: the reason why it is switched on */
};

/* Returns NULL with errno ENOMEM. */
struct gate *gate_new(const struct gate_options *opt);
void gate_free(struct gate *g);
struct trace_sink gate_sink(struct gate *g);

/* Switches recording on or off at a time, which may be in the future. Up to 64 switches may wait.
 * Returns false when more would wait. */
bool gate_switch(struct gate *g, uint64_t at_ns);

/* Counts, complete after the last event. */
struct gate_stats {
	uint64_t events, kept; /* events given; events let through */
	/* outermost calls of the trigger while recording was on; number of these recorded */
	uint64_t seen, chosen;
	uint64_t windows; /* number of times that recording was on */
	bool on;
};
struct gate_stats gate_stats(const struct gate *g);

#endif

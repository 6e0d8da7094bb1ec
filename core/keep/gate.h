/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets through what is to be recorded: calls that are not too deep, only inside calls of some
 * functions, one of so many of these, only while recording is switched on. A call is let through or
 * left out as a whole, with all events of it, so that what remains makes sense on its own.
 *
 * One thread gives events and rounds; gate_switch may be called by another.
 */
#ifndef GOTRACE_GATE_H
#define GOTRACE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct gate;

struct gate_options {
	const struct trace_info *info; /* functions and sites; borrowed */
	struct trace_sink next;        /* what is let through goes there */
	uint32_t depth;                /* calls below so many others are left out; 0: none is */
	/* By function: goroutines are recorded in its calls, and those that are started in
	 * them. Copied. NULL: everywhere */
	const bool *trigger;
	uint64_t one_in; /* of so many outermost calls of the trigger one is; 0, 1: all are */
	bool off;        /* recording begins with gate_switch */
	/* While it is off, calls are not seen: those that are open when it is switched on are not
	 * known then, and not recorded. */
	bool rests;
	uint32_t why; /* WINDOW_BY_*: what it is switched on by */
};

/* NULL and errno: ENOMEM. */
struct gate *gate_new(const struct gate_options *opt);
void gate_free(struct gate *g);
struct trace_sink gate_sink(struct gate *g);

/* Switches recording on, or off, at that time, which may be to come. Up to 64 may wait; returns
 * false when more do. */
bool gate_switch(struct gate *g, uint64_t at_ns);

/* Counts; after the last event. */
struct gate_stats {
	uint64_t events, kept; /* given; let through */
	uint64_t seen, chosen; /* outermost calls of the trigger while on; of them recorded */
	uint64_t windows;      /* times recording was on */
	bool on;
};
struct gate_stats gate_stats(const struct gate *g);

#endif

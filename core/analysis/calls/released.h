/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that were released while the trace was recorded (EV_RELEASED). Their later calls are
 * not in the trace, and the time of these calls is in their callers' self time.
 */
#ifndef GOTRACE_RELEASED_H
#define GOTRACE_RELEASED_H

#include "analysis/calls/call_tree.h"
#include "analysis/notes.h"

/* Released functions whose time a function's or path's self time includes. */
struct released_below {
	uint32_t n;
	uint32_t one; /* one of them if n > 0; a function, never a row of --key */
};

struct released {
	const struct loaded_trace *trace;
	size_t n;                     /* number of released functions */
	uint32_t *funcs;              /* released functions in the order of their release */
	struct released_below *below; /* by function; NULL without released functions */
	uint32_t *seen_at;            /* by function: the node below which it was last found */
};

/* Finds the released functions of a loaded trace. 0 or -ENOMEM; released_free in either case. */
int released_find(struct released *r, const struct loaded_trace *trace);
void released_free(struct released *r);

/* Returns when a function was released, CLOCK_MONOTONIC; 0 if it was not, or is PATH_*. */
uint64_t released_ns(const struct released *r, uint32_t func);
/* Returns how many calls of a function were recorded before its release, in the whole trace, with
 * any value of --key. */
uint64_t released_calls(const struct released *r, uint32_t func);
struct released_below released_below_func(const struct released *r, uint32_t func);
struct released_below released_below_node(const struct released *r, const struct call_tree *t,
					  uint32_t node);

/* Adds "released while recording, ..." with the first few names, which a reader needs before any
 * number. Adds nothing when there are none. 0 or -ENOMEM. */
int released_doubt(const struct loaded_trace *trace, struct notes *to);
/* Adds the meaning of that for the rows. Adds nothing when there are none. */
void released_notes(const struct loaded_trace *trace, struct notes *to);

#endif

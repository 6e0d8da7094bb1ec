/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that were released while the trace was recorded (EV_RELEASED): from then on their calls
 * are not in it, and their time is in their callers' self time.
 */
#ifndef GOTRACE_RELEASED_H
#define GOTRACE_RELEASED_H

#include "analysis/calls/call_tree.h"
#include "analysis/notes.h"

/* Released functions whose time a function's or path's self time includes. */
struct released_below {
	uint32_t n;
	uint32_t one; /* one of them; n > 0; as all here no row of --key, but its function */
};

struct released {
	const struct loaded_trace *trace;
	size_t n;                     /* functions that were released */
	uint32_t *funcs;              /* they, in the order of their release */
	struct released_below *below; /* by function; NULL: none was released */
	uint32_t *seen_at;            /* by function: the node below which it was met last */
};

/* Of a trace that was loaded. 0 or -ENOMEM; released_free in either case. */
int released_find(struct released *r, const struct loaded_trace *trace);
void released_free(struct released *r);

/* When it was released, CLOCK_MONOTONIC; 0: it was not, or is PATH_*. */
uint64_t released_ns(const struct released *r, uint32_t func);
/* How many calls of a function were recorded before, in the whole trace, with any value of --key.
 */
uint64_t released_calls(const struct released *r, uint32_t func);
struct released_below released_below_func(const struct released *r, uint32_t func);
struct released_below released_below_node(const struct released *r, const struct call_tree *t,
					  uint32_t node);

/* "released while recording, ...", with the first few by name: what is to be known before any
 * number. Nothing when there are none. 0 or -ENOMEM. */
int released_doubt(const struct loaded_trace *trace, struct notes *to);
/* What that means for the rows. Nothing when there are none. */
void released_notes(const struct loaded_trace *trace, struct notes *to);

#endif

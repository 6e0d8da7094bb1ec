/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a trace again and again while it is recorded. */
#ifndef GOTRACE_LIVE_TRACE_H
#define GOTRACE_LIVE_TRACE_H

#include "analysis/live_feed.h"
#include "analysis/trace_load.h"

struct live_trace {
	struct trace_reader *reader; /* owned */
	struct live_feed *feed;      /* borrowed; NULL: all numbers are in the file */
	/* Owned. The model has the events so far; it is NULL where a summary is read. The rest is
	 * for the answer of a trace with states (analysis/answer.h), and may be NULL. */
	struct live_copy now;
	struct lock_rules *locks; /* the feed's, where there is one */
};

/* feed: the recording's, where this process records; else NULL. 0 or -errno (logged);
 * live_trace_close in either case. */
int live_trace_open(struct live_trace *l, const char *path, struct live_feed *feed);
/* Sets *t to the whole trace so far, as trace_load does with trace_watch.wakes, holds and parked.
 * trace_unload frees it, before live_trace_close. *up_to_ns is the time of that state by the clock
 * of events, 0 before the first summary. 0 or -errno (logged). */
int live_trace_look(struct live_trace *l, struct loaded_trace *t, uint64_t *up_to_ns);
void live_trace_close(struct live_trace *l);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace that is being recorded, looked at again and again. */
#ifndef GOTRACE_LIVE_TRACE_H
#define GOTRACE_LIVE_TRACE_H

#include "analysis/trace_load.h"

struct live_trace {
	struct trace_reader *reader; /* owned */
	struct model *model;         /* of the events so far; NULL: there is a summary */
	/* Owned; of a trace with states, what its answer needs (analysis/answer.h). NULL: none */
	struct lock_rules *locks;
	struct parked *parked;
};

/* 0 or -errno (logged); live_trace_close in either case. */
int live_trace_open(struct live_trace *l, const char *path);
/* All that is in it by now, as of trace_load with trace_watch.wakes, holds and parked, which
 * trace_unload frees, before live_trace_close; *up_to_ns: when that was so, by the clock of events;
 * 0: nothing was summed up yet. 0 or -errno (logged). */
int live_trace_look(struct live_trace *l, struct loaded_trace *t, uint64_t *up_to_ns);
void live_trace_close(struct live_trace *l);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of a report, in the wanted order. */
#ifndef GOTRACE_CALL_ROWS_H
#define GOTRACE_CALL_ROWS_H

#include "analysis/calls/call_spool.h"
#include "analysis/calls/first_calls.h"
#include "analysis/trace_load.h"
#include "report/report.h"

struct call_rows {
	const struct report_options *opt;
	const struct loaded_trace *trace;
	struct trace_watch watch; /* for trace_load */
	/* a call is shown if call_rows_wants returns true; set by call_rows_finish */
	const struct call *calls;
	size_t n;
	uint64_t n_wanted; /* wanted calls, shown or cut by the limit */
	/* the store of calls: `first` with a limit, otherwise a file */
	struct first_calls first;
	struct call_spool spool;
};

/* To be called before trace_load(trace, ..., &l->watch). 0 or -errno (logged); call_rows_free in
 * either case. */
int call_rows_begin(struct call_rows *l, const struct report_options *opt,
		    const struct loaded_trace *trace);
/* To be called after trace_load. 0 or -errno (logged) */
int call_rows_finish(struct call_rows *l);
void call_rows_free(struct call_rows *l);

/* Sets *v to the arguments and results of one of `calls`, valid until the next call of it. 0 or
 * -errno (logged). */
int call_rows_values(const struct call_rows *l, const struct call *c, struct call_values *v);

/* Sets *s to the times in which the call's goroutine did not run, and its waits. Valid until the
 * next call of it. 0 or -errno (logged). */
int call_rows_states(const struct call_rows *l, const struct call *c, struct call_states *s);

/* Returns whether the call lies in the window of the options. */
bool call_rows_wants(const struct call_rows *l, const struct call *c);
/* Returns the number of wanted calls that the limit leaves out. */
uint64_t call_rows_hidden(const struct call_rows *l);

#endif

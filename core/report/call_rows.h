/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of a report, in the order asked for. */
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
	/* shown if call_rows_wants returns true; set by call_rows_finish */
	const struct call *calls;
	size_t n;
	uint64_t n_wanted; /* calls that the options ask for, shown or cut by the limit */
	/* where they lie: in `first` when a limit is set, else in a file */
	struct first_calls first;
	struct call_spool spool;
};

/* Before trace_load(trace, ..., &l->watch). 0 or -errno (logged); call_rows_free in either case. */
int call_rows_begin(struct call_rows *l, const struct report_options *opt,
		    const struct loaded_trace *trace);
/* After it. 0 or -errno (logged) */
int call_rows_finish(struct call_rows *l);
void call_rows_free(struct call_rows *l);

/* Arguments and results of one of `calls`, valid until the next are asked for. 0 or -errno
 * (logged).
 */
int call_rows_values(const struct call_rows *l, const struct call *c, struct call_values *v);

/* When its goroutine did not run, and why it waited. The same. */
int call_rows_states(const struct call_rows *l, const struct call *c, struct call_states *s);

/* Does the call lie in the window that the options ask for? */
bool call_rows_wants(const struct call_rows *l, const struct call *c);
/* How many of those the limit leaves out. */
uint64_t call_rows_hidden(const struct call_rows *l);

#endif

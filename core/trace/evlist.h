/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces as text for reading. Hand-written lists are the cases of tests.
 *
 * One event a line:
 *
 *     goid kind function depth ts_ns [key=value ...]
 *
 *     # a call of main.f, which recurses once
 *     1 entry main.f 100 1000
 *     1 entry main.f 200 1500
 *     1 exit  main.f 200 1800
 *     1 exit  main.f 100 2000
 *     1 tail  main.f 100 2000 target=main.g
 *     - loss  -      0   1200 arg0=1900 arg1=3 flags=all
 *     1 create -     0   2100 arg0=7 arg1=0x401000 tid=12
 *
 * kind: a name of event_kind_name. function: as displayed, "-" for none. A name that has blanks,
 * '"' or '#', or is "-", stands in double quotes, with \" \\ \n \t \xHH inside. goid: "-" is 0.
 * Numbers: decimal or 0x. '#' starts a comment.
 *
 * The keys:
 *
 *     tid                default 1
 *     flags              default 0; a number, or system, all, goexit joined by commas
 *     how                emulated, jump, nop, ret, step or inline; default not known
 *     arg0 to arg3       only for kinds with arguments
 *     target             for tail and entry-tail, the probed function jumped to
 *     func, target_func  where several functions have the name, the number of one, from 0 in the
 *                        order of @func lines
 *     site               the number of a site
 *
 * An event that makes no sense may have `site` in place of the site of function and kind, and a
 * number as its kind.
 *
 * These lines are no events. A @func line is needed only for more than a name, or to change the
 * order of functions:
 *
 *     @set KEY VALUE TO THE END OF THE LINE
 *     @func NAME [vaddr=N] [size=N] [file=F] [line=N]
 *     @pc NUMBER FUNCTION [file=F] [line=N]
 *     @site KIND FUNCTION [func=N] [target=F] [target_func=N] [file_off=N]
 *
 * evlist_fixture.h makes a trace of a list. It equals the first trace, but has no arguments and
 * results of calls, which are a comment here. Each event comes from the first site of its function,
 * kind and target. A site that no @site line names is added.
 */
#ifndef GOTRACE_EVLIST_H
#define GOTRACE_EVLIST_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/trace.h"

/*
 * Writes the rest of r as a list, event by event. Keys known only at the end come last, with a
 * comment whether the trace is complete. 0 or -errno. Faults of the trace are logged, -EIO of `out`
 * is not.
 */
int evlist_dump(FILE *out, struct trace_reader *r);

/*
 * Write info as @ lines, and one event as a line. shared[i] says whether another function has the
 * name of function i, so that its line needs a number; NULL when names are unique. 0 or -EIO, not
 * logged.
 */
int evlist_write_info(FILE *out, const struct trace_info *info);
int evlist_write_event(FILE *out, const struct trace_info *info, const bool *shared,
		       const struct event_ext *ev, const struct trace_values *values);

#endif

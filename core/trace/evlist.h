/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces as text, to be looked at; hand-written ones are the cases of tests.
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
 * kind: a name of event_kind_name. function: as displayed, "-" for none;
 * double quotes around one that holds blanks, '"', '#' or is "-", with \" \\
 * \n \t \xHH inside. goid: "-" is 0. Numbers: decimal or 0x. Keys: tid
 * (default 1), flags (default 0; a number or system, all, goexit joined by
 * commas), how (how it came about: emulated, jump, nop, ret, step or inline;
 * default not known), arg0 .. arg3 (kinds that carry arguments only), target (tail,
 * entry-tail: the probed function jumped to), func and target_func (their
 * numbers, from 0 in the order of @func lines, where several functions have that
 * name), site (a number in place of the site that function and kind make, for
 * events that make no sense; so may a kind be a number). '#' starts a comment.
 *
 * Lines that are no events; those about functions are only needed for more
 * than a name or for an order other than that of appearance:
 *
 *     @set KEY VALUE TO THE END OF THE LINE
 *     @func NAME [vaddr=N] [size=N] [file=F] [line=N]
 *     @pc NUMBER FUNCTION [file=F] [line=N]
 *     @site KIND FUNCTION [func=N] [target=F] [target_func=N] [file_off=N]
 *
 * Read back (evlist_fixture.h), a list gives the same trace, but without the calls' arguments and
 * results, which are a comment here, and each event comes from the first site of its function, kind
 * and target; one that no @site line names is made.
 */
#ifndef GOTRACE_EVLIST_H
#define GOTRACE_EVLIST_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/trace.h"

/*
 * Writes all that is left in r as a list, event by event. Keys known only at the end come last,
 * with a comment whether the trace is complete. 0 or -errno (what is wrong with the trace is
 * logged; -EIO of `out` is not).
 */
int evlist_dump(FILE *out, struct trace_reader *r);

/*
 * Write what info holds as @ lines, and one event as a line. shared: by index
 * of a function, whether another has its name, so that a number is needed to
 * tell them apart; NULL: none. 0 or -EIO, not logged.
 */
int evlist_write_info(FILE *out, const struct trace_info *info);
int evlist_write_event(FILE *out, const struct trace_info *info, const bool *shared,
		       const struct event_ext *ev, const struct trace_values *values);

#endif

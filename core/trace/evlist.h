/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces as text, for hand-written cases and for looking at recorded ones.
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
 * commas), arg0 .. arg3 (kinds that carry arguments only), target (tail,
 * entry-tail: the probed function jumped to), site (a number in place of the
 * site that function and kind make, for events that make no sense; so may a
 * kind be a number). '#' starts a comment.
 *
 * Lines that are no events; those about functions are only needed for more
 * than a name or for an order other than that of appearance:
 *
 *     @set KEY VALUE TO THE END OF THE LINE
 *     @func NAME [vaddr=N] [size=N] [file=F] [line=N]
 *     @pc NUMBER FUNCTION [file=F] [line=N]
 *
 * Sites are made as needed, one per (function, kind, target).
 */
#ifndef GOTRACE_EVLIST_H
#define GOTRACE_EVLIST_H

#include <stddef.h>
#include <stdio.h>

#include "trace/trace.h"

/* A whole list in memory, in line order; free with evlist_free. */
struct evlist {
	struct trace_info info;
	struct event_ext *events;
	size_t n, cap;
};

/*
 * Fills *l (whatever it held before is overwritten, not freed). `name` stands
 * for the input in messages. 0, -EBADMSG (logged with the line number), -EIO
 * or -ENOMEM; *l is empty then.
 */
int evlist_parse(struct evlist *l, const char *text, const char *name);
int evlist_read(struct evlist *l, FILE *in, const char *name);
int evlist_load(struct evlist *l, const char *path); /* also -ENOENT and the like, logged */
void evlist_free(struct evlist *l);

/* Write what info holds as @ lines, and one event as a line. Read back, they
 * give the same but for sites, which are made anew. 0 or -EIO, not logged. */
int evlist_write_info(FILE *out, const struct trace_info *info);
int evlist_write_event(FILE *out, const struct trace_info *info, const struct event_ext *ev);

/* Writes all that is left in r; what is known only at its end comes last. 0 or
 * -errno (what the reader finds is logged by it; -EIO of `out` is not). */
int evlist_dump(FILE *out, struct trace_reader *r);

#endif

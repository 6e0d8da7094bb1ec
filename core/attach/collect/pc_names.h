/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the function and line of each program counter in events into the trace. */
#ifndef GOTRACE_PC_NAMES_H
#define GOTRACE_PC_NAMES_H

#include "binary/gobin.h"
#include "trace/trace.h"

struct pc_names;

/* Borrows both. Returns NULL and sets errno to ENOMEM on error. */
struct pc_names *pc_names_new(const struct gobin *b, struct trace_writer *w);
/* Names the new program counters of an EV_CREATE. The caller calls it before it writes the event.
 * Returns 0 or -errno. */
int pc_names_event(struct pc_names *n, const struct event_ext *ev);
void pc_names_free(struct pc_names *n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes into the trace which function and line each program counter in events is. */
#ifndef GOTRACE_PC_NAMES_H
#define GOTRACE_PC_NAMES_H

#include "binary/gobin.h"
#include "trace/trace.h"

struct pc_names;

/* Borrows both. NULL and ENOMEM. */
struct pc_names *pc_names_new(const struct gobin *b, struct trace_writer *w);
/* Names the program counters of an EV_CREATE, those that are new; to be called before the event is
 * written. 0 or -errno. */
int pc_names_event(struct pc_names *n, const struct event_ext *ev);
void pc_names_free(struct pc_names *n);

#endif

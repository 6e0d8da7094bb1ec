/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, once each, the program counters that events carry. */
#ifndef GOTRACE_PC_NAMES_H
#define GOTRACE_PC_NAMES_H

#include "binary/gobin.h"
#include "trace/trace.h"

struct pc_names;

/* Borrows both. NULL and ENOMEM. */
struct pc_names *pc_names_new(const struct gobin *b, struct trace_writer *w);
/* To be called before `ev` is written. 0 or -errno. */
int pc_names_event(struct pc_names *n, const struct event_ext *ev);
void pc_names_free(struct pc_names *n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, once each, the program counters that events carry. */
#ifndef GOTRACE_NAMING_H
#define GOTRACE_NAMING_H

#include "binary/gobin.h"
#include "trace/trace.h"

struct naming;

/* Borrows both. NULL and ENOMEM. */
struct naming *naming_new(const struct gobin *b, struct trace_writer *w);
/* To be called before `ev` is written. 0 or -errno. */
int naming_event(struct naming *n, const struct event_ext *ev);
void naming_free(struct naming *n);

#endif

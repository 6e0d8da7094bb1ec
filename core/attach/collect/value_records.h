/* SPDX-License-Identifier: BSD-2-Clause */
/* Records with arguments and results, as BPF programs write them, into values of a trace. */
#ifndef GOTRACE_VALUE_RECORDS_H
#define GOTRACE_VALUE_RECORDS_H

#include "attach/collect/ring_merge.h"
#include "attach/probes/probes.h"
#include "plan/plan.h"
#include "trace/trace.h"

struct value_records;

/* Borrows plan and state, whose text_bias tells where types are. NULL: no memory. */
struct value_records *value_records_new(const struct plan *plan, const struct probe_state *state);
/* The values that value_records_put has put beside an event, whose owner is whoever takes the
 * event; for free(). NULL: it has none. */
static inline struct trace_values *value_records_of(const struct event_ext *ev)
{
	return ev->h.flags & EVF_WIRE_VALUES ? (struct trace_values *)(uintptr_t)ev->arg[0] : NULL;
}

/* Puts the values of a record of `size` bytes beside the event that it begins with, in one piece of
 * memory. r may be NULL: -EBADMSG. 0, -ENOMEM, or -EBADMSG when it is none of the plan's. */
int value_records_put(struct value_records *r, const void *record, size_t size,
		      struct event_ext *ev);
/* Also what events have beside them that still wait. */
void value_records_free(struct value_records *r, struct merge *waiting);

#endif

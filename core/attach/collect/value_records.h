/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts records of BPF programs with arguments and results into values of a trace. */
#ifndef GOTRACE_VALUE_RECORDS_H
#define GOTRACE_VALUE_RECORDS_H

#include "attach/collect/ring_merge.h"
#include "attach/probes/probes.h"
#include "plan/plan.h"
#include "trace/trace.h"

struct value_records;

/* Borrows plan and state. text_bias of the state leads to types. Returns NULL without memory. */
struct value_records *value_records_new(const struct plan *plan, const struct probe_state *state);
/* Returns the values that value_records_put has put beside an event. The receiver of the event owns
 * them and calls free(). NULL: it has none. */
static inline struct trace_values *value_records_of(const struct event_ext *ev)
{
	return ev->h.flags & EVF_WIRE_VALUES ? (struct trace_values *)(uintptr_t)ev->arg[0] : NULL;
}

/* Puts the values of a record beside the event at its beginning, in one piece of memory. `size`:
 * bytes of the record. Returns 0, -ENOMEM, or -EBADMSG if r is NULL or the record does not belong
 * to the plan. */
int value_records_put(struct value_records *r, const void *record, size_t size,
		      struct event_ext *ev);
/* Frees r, and the values of events that still wait. */
void value_records_free(struct value_records *r, struct merge *waiting);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of an event for the program, by the way in which it came about (HOW_* of
 * bpf/event.h). */
#ifndef GOTRACE_EVENT_COSTS_H
#define GOTRACE_EVENT_COSTS_H

#include "bpf/event.h"
#include "trace/trace.h"

struct event_cost {
	double before, after; /* before and after the time stamp, ns */
	double outside;       /* reading values; it is outside the stamps of the call */
};

/* Reads the costs by HOW_* from the trace's keys; 0 when not known. */
void event_costs_read(const struct trace_info *info, struct event_cost costs[HOW_MAX + 1]);

#endif

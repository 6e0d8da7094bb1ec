/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event cost the program, by how it came about (HOW_* of bpf/event.h). */
#ifndef GOTRACE_EVENT_COSTS_H
#define GOTRACE_EVENT_COSTS_H

#include "bpf/event.h"
#include "trace/trace.h"

struct event_cost {
	double before, after; /* the time stamp, ns */
	double outside;       /* reading values: stamps leave it out of the call itself */
};

/* By HOW_*, as the trace's keys have them; 0: not known. */
void event_costs_read(const struct trace_info *info, struct event_cost costs[HOW_MAX + 1]);

#endif

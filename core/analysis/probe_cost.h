/* SPDX-License-Identifier: BSD-2-Clause */
/* What probing cost, from what a trace says of itself. */
#ifndef GOTRACE_PROBE_COST_H
#define GOTRACE_PROBE_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

/*
 * An estimate: the events of each kind of probe (keys end.events_*) times what one was measured to
 * cost on that machine before the program started (cost.*_ns). What it leaves out: hits without
 * an event, caches that the program finds cold, probes that wait for each other. false when
 * the trace does not say enough.
 */
bool probe_cost_ns(const struct trace_info *info, uint64_t *ns);

/* "474ns emulated, 9.07us single-stepped": what was measured, "?" where those two were not. Returns
 * whether anything was; prints nothing then. */
bool probe_costs_print(const struct trace_info *info, FILE *out);

#endif

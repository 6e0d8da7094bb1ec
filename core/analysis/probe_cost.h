/* SPDX-License-Identifier: BSD-2-Clause */
/* What probing cost, from the keys of a trace. */
#ifndef GOTRACE_PROBE_COST_H
#define GOTRACE_PROBE_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

#define PROBE_SHARES_BYTES 160

/*
 * An estimate: the events of each kind of probe (keys end.events_*) times what one was measured to
 * cost on that machine before the program started (cost.*_ns). What it leaves out: hits without
 * an event, caches that the program finds cold, probes that wait for each other. false when
 * the trace does not say enough.
 */
bool probe_cost_ns(const struct trace_info *info, uint64_t *ns);

/* What part of the program's time that was, as a clause: ", 5.0% of the program's processor time of
 * 3.60ms, 1.6% of its wall time of 11.4ms"; only of what the trace knows, nothing when it knows
 * neither. Of the wall time it may be more than all: probes are hit on several CPUs at once.
 * Returns buf. */
const char *probe_cost_shares(const struct trace_info *info, uint64_t ns,
			      char buf[PROBE_SHARES_BYTES]);

/* "474ns emulated, 9.07us single-stepped": what was measured, "?" where those two were not. Returns
 * whether anything was; prints nothing then. */
bool probe_costs_print(const struct trace_info *info, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What probing cost, from the keys of a trace. */
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

enum overhead_rough {
	OVERHEAD_KNOWN,
	OVERHEAD_ROUGH, /* much of what is the program's is taken for the probes' after-effects */
	OVERHEAD_VERY_ROUGH, /* what is left of it is within the error of what was taken off */
};

/* How the program's wall time follows from its processor time. */
enum overhead_wall {
	OVERHEAD_WALL_UNKNOWN, /* the trace does not say how long it ran */
	OVERHEAD_WALL_IDLE,    /* it waited most of the time for something else than a processor */
	OVERHEAD_WALL_BUSY,    /* its threads had a processor, or waited for one */
	OVERHEAD_WALL_FULL,    /* likewise, and no processor of the machine was free */
};

/* What tracing did to the program as a whole, from its processor and wall time. */
struct probe_overhead {
	uint64_t cpu_ns, wall_ns; /* of the program; wall 0: not known */
	uint64_t delay_ns;        /* that its threads waited for a processor; 0: or not known */
	uint64_t probe_ns;        /* the part of cpu_ns that was the probes' */
	/* of gotrace's own processor time, what the program would have had: no processor was free
	 */
	uint64_t taken_ns;
	uint64_t other_ns; /* processor time of all other programs meanwhile; 0: or not known */
	enum overhead_wall wall;
	double cpu_times; /* processor time over that of an untraced run */
	/* Wall time likewise; idle: at least. The smaller number holds when what else ran on the
	 * machine did so for the program, as a server's clients do. */
	double wall_times, wall_times_least;
	enum overhead_rough rough;
};

/*
 * Measured where the trace has samples of the processor time (end.cpu_samples): those that are not
 * in probes are the program's, less what caches that probes left cold take. Without them an
 * estimate from the costs above and from the kernel's part of the time, since traps are the
 * kernel's nearly all of it. false when the trace does not say enough.
 */
bool probe_overhead_find(const struct trace_info *info, struct probe_overhead *o);

/*
 * Says it in one line, processor time first: "about 24x the processor time of an untraced run, and
 * as many times as long (probes 26.0s of 27.9s of processor time)". Returns buf, or NULL when the
 * trace does not say enough.
 */
#define PROBE_OVERHEAD_BYTES 320
const char *probe_overhead_say(const struct trace_info *info, char buf[PROBE_OVERHEAD_BYTES]);
/* A sentence of warning when the program took a quarter more processor time or was a quarter
 * slower, else NULL. It says which, as the sentence above does. */
const char *probe_overhead_warn(const struct trace_info *info);

/* "474ns emulated, 9.07us single-stepped": what was measured, "?" where those two were not. Returns
 * whether anything was; prints nothing then. */
bool probe_costs_print(const struct trace_info *info, FILE *out);

#endif

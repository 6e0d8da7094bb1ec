/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of probing, from the keys of a trace. */
#ifndef GOTRACE_PROBE_COST_H
#define GOTRACE_PROBE_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

/*
 * Estimates the cost. It multiplies the events of each kind of probe (keys end.events_*) by the
 * cost of one, measured on that machine before the program started (cost.*_ns). It leaves out hits
 * without an event, caches that the program finds cold, and probes that wait for each other.
 * Returns false when the trace does not have enough keys.
 */
bool probe_cost_ns(const struct trace_info *info, uint64_t *ns);

enum overhead_rough {
	OVERHEAD_KNOWN,
	/* much of the program's time is taken as an after-effect of probes */
	OVERHEAD_ROUGH,
	/* the program's remaining time is within the error of the time taken off */
	OVERHEAD_VERY_ROUGH,
};

/* The relation of the program's wall time to its processor time. */
enum overhead_wall {
	OVERHEAD_WALL_UNKNOWN, /* the trace does not have its wall time */
	OVERHEAD_WALL_IDLE,    /* it waited most of the time for something else than a processor */
	OVERHEAD_WALL_BUSY,    /* its threads had a processor, or waited for one */
	OVERHEAD_WALL_FULL,    /* also, no processor of the machine was free */
};

/* The effect of tracing on the whole program, from its processor and wall time. */
struct probe_overhead {
	uint64_t cpu_ns, wall_ns; /* the program's times; wall_ns 0 when not known */
	uint64_t delay_ns; /* time that its threads waited for a processor; 0 also when not known */
	uint64_t probe_ns; /* the probes' part of cpu_ns */
	/* the part of gotrace's own processor time that the program would have had, because no
	 * processor was free */
	uint64_t taken_ns;
	uint64_t other_ns; /* processor time of all other programs meanwhile; 0 also when not known
			    */
	enum overhead_wall wall;
	double cpu_times; /* processor time over that of an untraced run */
	/* Wall time over that of an untraced run; with OVERHEAD_WALL_IDLE, at least so much.
	 * wall_times_least holds when the other programs on the machine worked for this one, as a
	 * server's clients do. */
	double wall_times, wall_times_least;
	enum overhead_rough rough;
};

/*
 * Finds the overhead. With samples of the processor time (end.cpu_samples) it is measured. Samples
 * outside of probes are the program's, less the cost of caches that probes left cold. Without
 * samples it is an estimate from the costs above and from the kernel's part of the time. Traps are
 * nearly all of that part. Returns false when the trace does not have enough keys.
 */
bool probe_overhead_find(const struct trace_info *info, struct probe_overhead *o);

/*
 * Writes it as one line, processor time first. For example: "about 24x the processor time of an
 * untraced run, and as many times as long (probes 26.0s of 27.9s of processor time)". Returns buf,
 * or NULL when the trace does not have enough keys.
 */
#define PROBE_OVERHEAD_BYTES 320
const char *probe_overhead_say(const struct trace_info *info, char buf[PROBE_OVERHEAD_BYTES]);
/* Returns a warning when the program took a quarter more processor time or was a quarter slower,
 * otherwise NULL. The warning says which, like the line above. */
const char *probe_overhead_warn(const struct trace_info *info);

/* Prints the measured costs, such as "474ns emulated, 9.07us single-stepped", with "?" where one of
 * these two was not measured. Prints nothing and returns false when no cost was measured. */
bool probe_costs_print(const struct trace_info *info, FILE *out);

#endif

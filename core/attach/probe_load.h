/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the functions whose probes cost most in a recording. Makes sentences that name them, with
 * the option that leaves them out.
 */
#ifndef GOTRACE_PROBE_LOAD_H
#define GOTRACE_PROBE_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plan/plan.h"

/* Events of one site so far. */
struct site_events {
	uint64_t trapped; /* recorded by a BPF program */
	uint64_t inlined; /* written by an inline stub: an estimate */
};

/* The cost of an event in ns, or 0 if not measured. */
struct site_cost {
	uint64_t trap_ns; /* cost when this site traps */
	bool is_inline;   /* its stub writes events itself and traps only when it cannot */
};

struct func_load {
	uint64_t events, ns;
	/* Events and time of sites that cost at least LOAD_COSTLY times the cheapest kind of event
	 * here. */
	uint64_t costly_events, costly_ns;
};
#define LOAD_COSTLY 8

struct probe_load {
	const struct plan *plan;
	uint64_t events, ns; /* all sites, including those in the runtime */
	uint64_t costly_ns;  /* costly_ns of all functions */
	/* Events of inline sites that trapped because the ring was full or the P had none. */
	uint64_t inline_trapped;
	struct func_load *funcs; /* by function of the plan */
};

/* Computes the load. `events` and `costs` are by site. inline_ns is the cost of an event of an
 * inline stub. The caller must free *l in every case. Returns 0 or -ENOMEM. */
int probe_load_find(struct probe_load *l, const struct plan *plan, const struct site_events *events,
		    const struct site_cost *costs, uint64_t inline_ns);
void probe_load_free(struct probe_load *l);

/* Returns the function that makes more than half of all events and whose probes take more than
 * LOAD_HEAVY of cpu_ns. cpu_ns is the program's processor time meanwhile. PLAN_NO_FUNC: there is
 * none. */
uint32_t probe_load_heavy(const struct probe_load *l, uint64_t cpu_ns);
#define LOAD_HEAVY 0.2

/* Prints " -x NAME". Quotes the name where a shell requires it. */
void probe_load_add_exclude(FILE *out, const char *name);

#define LOAD_TEXT_BYTES 2048
/* Returns such a sentence: "main.fib makes 93% of all events, and its probes take about 61% of the
 * program's processor time: leave it out with -x main.fib" */
const char *probe_load_heavy_text(const struct probe_load *l, uint32_t func, uint64_t cpu_ns,
				  char text[LOAD_TEXT_BYTES]);

/* Returns a sentence with the functions whose costly sites made most of the time of probing, at
 * most LOAD_NAMES of them. NULL: costly sites did not make most of that time, or it was less than
 * LOAD_FELT of cpu_ns. */
const char *probe_load_costly_text(const struct probe_load *l, uint64_t cpu_ns,
				   char text[LOAD_TEXT_BYTES]);
#define LOAD_FELT  0.05
#define LOAD_NAMES 3

#endif

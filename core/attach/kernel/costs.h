/* SPDX-License-Identifier: BSD-2-Clause */
/* What probes cost by how they are executed, and what a trace says of it. */
#ifndef GOTRACE_COSTS_H
#define GOTRACE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/kernel/caps.h"
#include "plan/plan.h"
#include "trace/trace.h"

/* How the kernel executes a probed instruction, and so what a hit costs. */
enum cost_class {
	COST_EMULATED, /* one trap */
	COST_JUMP,     /* one trap, in a stub */
	COST_NOP,      /* a system call, in a stub */
	COST_RET,      /* one trap: the program returns */
	COST_STEP,     /* two traps */
	COST_CLASSES,
};
const char *cost_class_events_key(enum cost_class c); /* the trace's key for their number */

enum cost_class cost_class_of(const struct plan_site *s, bool perform_ret);

/* Nanoseconds, an event recorded; 0: not measured. */
uint64_t cost_ns(const struct caps *caps, enum cost_class c, enum stub_kind stub);

/* The class of each site (enum cost_class), allocated. NULL: no memory. */
uint8_t *costs_by_site(const struct plan *p, bool perform_ret);

/* Adds the keys KEY_COST_*_NS of what the plan uses, of emulated and of step. 0 or -ENOMEM. */
int costs_describe(struct trace_info *info, const struct caps *caps, const struct plan *p,
		   bool perform_ret);

#endif

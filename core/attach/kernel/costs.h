/* SPDX-License-Identifier: BSD-2-Clause */
/* What a hit costs, by how the kernel executes the probed instruction; the keys of a trace for it.
 */
#ifndef GOTRACE_COSTS_H
#define GOTRACE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/kernel/caps.h"
#include "plan/plan.h"
#include "trace/trace.h"

/* How the kernel executes a probed instruction, and so what a hit costs: as HOW_* of
 * bpf/event.h. */
enum cost_class {
	COST_EMULATED, /* one trap */
	COST_JUMP,     /* one trap, in a stub */
	COST_NOP,      /* a system call, in a stub */
	COST_RET,      /* one trap: the program returns */
	COST_STEP,     /* two traps */
	COST_VALUES,   /* a trap in which values are read: of events, no site's class */
	COST_CLASSES,
};
/* The event's flags that say so. */
static inline uint16_t cost_class_flags(unsigned c)
{
	_Static_assert(COST_EMULATED + 1 == HOW_EMULATED && COST_STEP + 1 == HOW_STEP,
		       "in one order");
	return (uint16_t)((c == COST_VALUES ? HOW_VALUES : c + 1) << EVF_HOW_SHIFT);
}
const char *cost_class_events_key(enum cost_class c); /* the trace's key for their number */

/* The class of a site that is probed in its stub, or in the text. */
enum cost_class cost_class_of(const struct plan_site *s, bool in_stub, bool perform_ret);

/* Nanoseconds of a hit, the event recorded; 0: not measured. */
uint64_t cost_ns(const struct caps *caps, enum cost_class c, enum stub_kind stub);

/* Adds the keys cost.CLASS_ns: of the classes of the plan's sites (`class`, by site), and always of
 * emulated and step. 0 or -ENOMEM. */
int costs_describe(struct trace_info *info, const struct caps *caps, const struct plan *p,
		   const uint8_t *class);

#endif

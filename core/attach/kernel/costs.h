/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a hit by the way the kernel executes the probed instruction, and the keys of a trace
 * for it. */
#ifndef GOTRACE_COSTS_H
#define GOTRACE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/kernel/caps.h"
#include "plan/plan.h"
#include "trace/trace.h"

/* The ways in which the kernel executes a probed instruction. They decide the cost of a hit. They
 * are HOW_* of bpf/event.h. */
enum cost_class {
	COST_EMULATED, /* one trap */
	COST_JUMP,     /* one trap, in a stub */
	COST_NOP,      /* a system call, in a stub */
	COST_RET,      /* one trap, in which the program returns */
	COST_STEP,     /* two traps */
	COST_VALUES,   /* a trap that reads values; a class of events, not of sites */
	COST_CLASSES,
};
/* Returns the event's flags with this class. */
static inline uint16_t cost_class_flags(unsigned c)
{
	_Static_assert(COST_EMULATED + 1 == HOW_EMULATED && COST_STEP + 1 == HOW_STEP,
		       "in one order");
	return (uint16_t)((c == COST_VALUES ? HOW_VALUES : c + 1) << EVF_HOW_SHIFT);
}
const char *cost_class_events_key(
	enum cost_class c); /* the trace's key with the number of events */

/* Returns the class of a site that is probed in its stub (in_stub) or in the text. */
enum cost_class cost_class_of(const struct plan_site *s, bool in_stub, bool perform_ret);

/* Returns the nanoseconds of a recorded hit, or 0 if not measured. */
uint64_t cost_ns(const struct caps *caps, enum cost_class c, enum stub_kind stub);

/* Adds the keys cost.CLASS_ns for the classes of the plan's sites (`class`, by site), and always
 * for emulated and step. Returns 0 or -ENOMEM. */
int costs_describe(struct trace_info *info, const struct caps *caps, const struct plan *p,
		   const uint8_t *class);

#endif

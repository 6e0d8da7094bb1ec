// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/event_costs.h"

#include <math.h>

#include "trace/keys.h"

void event_costs_read(const struct trace_info *info, struct event_cost costs[HOW_MAX + 1])
{
	static const char *const keys[] = {
		[HOW_EMULATED] = KEY_COST_EMULATED_NS, [HOW_JUMP] = KEY_COST_JUMP_NS,
		[HOW_NOP] = KEY_COST_NOP_NS,           [HOW_RET] = KEY_COST_RET_NS,
		[HOW_STEP] = KEY_COST_STEP_NS,         [HOW_INLINE] = KEY_COST_INLINE_NS,
	};
	/* Of traps that were not told apart: about two thirds, as measured where they were. */
	uint64_t emulated_ns = trace_info_u64(info, KEY_COST_EMULATED_NS, 0),
		 before_ns = trace_info_u64(info, KEY_COST_BEFORE_NS, 2 * emulated_ns / 3);

	for (unsigned how = 1; how <= HOW_INLINE; how++) {
		double ns = (double)trace_info_u64(info, keys[how], 0);
		double before = how == HOW_INLINE ? ns / 2 : fmin((double)before_ns, ns);

		costs[how] = (struct event_cost){ before, ns - before, 0 };
	}
	uint64_t n = trace_info_u64(info, KEY_END_EVENTS_VALUES, 0),
		 values_ns = trace_info_u64(info, KEY_END_VALUES_NS, 0);

	costs[HOW_VALUES] = costs[HOW_EMULATED];
	costs[HOW_VALUES].outside = n ? (double)values_ns / (double)n : 0;
}

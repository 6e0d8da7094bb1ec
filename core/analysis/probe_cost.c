// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/probe_cost.h"

#include "base/text_format.h"
#include "trace/keys.h"

/* As core/attach/costs.h has them. */
static const struct {
	const char *cost, *events, *words;
	bool always; /* named even where it was not measured */
} kinds[] = {
	{ KEY_COST_INLINE_NS, KEY_END_EVENTS_INLINE, "by a stub itself", false },
	{ KEY_COST_EMULATED_NS, KEY_END_EVENTS_EMULATED, "emulated", true },
	{ KEY_COST_JUMP_NS, KEY_END_EVENTS_JUMP, "in a stub", false },
	{ KEY_COST_NOP_NS, KEY_END_EVENTS_NOP, "in a stub's nop", false },
	{ KEY_COST_RET_NS, KEY_END_EVENTS_RET, "RET performed", false },
	{ KEY_COST_STEP_NS, KEY_END_EVENTS_STEP, "single-stepped", true },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

bool probe_cost_ns(const struct trace_info *info, uint64_t *ns)
{
	bool any = false;

	*ns = 0;
	for (size_t i = 0; i < KINDS; i++) {
		uint64_t events = trace_info_u64(info, kinds[i].events, 0);
		uint64_t each_ns = trace_info_u64(info, kinds[i].cost, 0), all_ns;

		if (!events)
			continue;
		if (!each_ns || __builtin_mul_overflow(events, each_ns, &all_ns) ||
		    __builtin_add_overflow(*ns, all_ns, ns))
			return false;
		any = true;
	}
	return any;
}

const char *probe_cost_shares(const struct trace_info *info, uint64_t ns,
			      char buf[PROBE_SHARES_BYTES])
{
	static const struct {
		const char *key, *words;
	} times[] = {
		{ KEY_END_TARGET_CPU_NS, "processor time" },
		{ KEY_END_TARGET_WALL_NS, "wall time" },
	};
	int len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t all_ns = trace_info_u64(info, times[i].key, 0);

		if (all_ns)
			len += snprintf(buf + len, PROBE_SHARES_BYTES - (size_t)len,
					", %.1f%% of %s %s of %s", 100.0 * ns / all_ns,
					len ? "its" : "the program's", times[i].words,
					HUMAN(all_ns));
	}
	return buf;
}

bool probe_costs_print(const struct trace_info *info, FILE *out)
{
	bool any = false, first = true;

	for (size_t i = 0; i < KINDS; i++)
		any |= trace_info_u64(info, kinds[i].cost, 0) != 0;
	for (size_t i = 0; any && i < KINDS; i++) {
		uint64_t ns = trace_info_u64(info, kinds[i].cost, 0);

		if (!ns && !kinds[i].always)
			continue;
		fprintf(out, "%s%s %s", first ? "" : ", ", ns ? HUMAN(ns) : "?", kinds[i].words);
		first = false;
	}
	return any;
}

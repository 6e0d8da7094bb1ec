// SPDX-License-Identifier: BSD-2-Clause
#include "attach/phases.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "trace/keys.h"

const char *phase_name(enum phase p)
{
	static const char *const names[PHASES] = {
		[PHASE_BINARY] = "binary", [PHASE_CLOCK] = "clock",   [PHASE_PLAN] = "plan",
		[PHASE_KERNEL] = "kernel", [PHASE_STUBS] = "stubs",   [PHASE_LAUNCH] = "launch",
		[PHASE_LOAD] = "load",     [PHASE_ATTACH] = "attach", [PHASE_START] = "start",
		[PHASE_PATCH] = "patch",   [PHASE_DETACH] = "detach", [PHASE_COLLECT] = "collect",
		[PHASE_WRITE] = "write",
	};

	return names[p];
}

void phases_begin(struct phases *p)
{
	p->last_ns = clock_monotonic_ns();
}

void phases_done(struct phases *p, enum phase which)
{
	const uint64_t before_ns = p->last_ns;

	phases_begin(p);
	p->ns[which] += p->last_ns - before_ns;
}

uint64_t phases_set_up_ns(const struct phases *p)
{
	uint64_t sum_ns = 0;

	for (enum phase k = 0; k <= PHASE_PATCH; k++)
		sum_ns += p->ns[k];
	return sum_ns;
}

int phases_describe(const struct phases *p, struct trace_info *end)
{
	int err = trace_info_setf(end, KEY_END_SET_UP_NS, "%" PRIu64, phases_set_up_ns(p));
	char key[64];

	for (enum phase k = 0; k < PHASES && !err; k++) {
		snprintf(key, sizeof(key), KEY_END_PHASE "%s_ns", phase_name(k));
		if (p->ns[k])
			err = trace_info_setf(end, key, "%" PRIu64, p->ns[k]);
	}
	return err;
}

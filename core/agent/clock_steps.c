// SPDX-License-Identifier: BSD-2-Clause
#include "agent/clock_steps.h"

#define STEP_NS   60000000000ll
#define SETTLE_NS 3600000000000ull

uint64_t clock_steps_look(struct clock_steps *c, uint64_t real_ns, uint64_t boot_ns)
{
	const int64_t offset_ns = (int64_t)(real_ns - boot_ns);
	const int64_t ahead_ns = c->known ? offset_ns - c->offset_ns : 0;

	c->known = true;
	c->offset_ns = offset_ns;
	if (ahead_ns > STEP_NS)
		c->settling_ns = boot_ns + SETTLE_NS;
	return ahead_ns > STEP_NS ? (uint64_t)ahead_ns : 0;
}

bool clock_steps_settled(const struct clock_steps *c, uint64_t boot_ns)
{
	return boot_ns >= c->settling_ns;
}

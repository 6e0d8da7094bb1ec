/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock that is set ahead makes every profile old. Whoever deletes old ones waits first. */
#ifndef GOTRACE_AGENT_CLOCK_STEPS_H
#define GOTRACE_AGENT_CLOCK_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* Zero: no time was told yet. */
struct clock_steps {
	bool known;
	int64_t offset_ns;    /* from the time since boot to the real time */
	uint64_t settling_ns; /* since boot: until then no age is believed; 0: it is */
};

/* Both clocks, now and then: since 1970; since boot, suspends included (CLOCK_BOOTTIME). How far
 * the real time was set ahead since the last call; 0: not for more than a minute. */
uint64_t clock_steps_look(struct clock_steps *c, uint64_t real_ns, uint64_t boot_ns);
/* No: it was set ahead within the last hour, and may yet be set back. */
bool clock_steps_settled(const struct clock_steps *c, uint64_t boot_ns);

#endif

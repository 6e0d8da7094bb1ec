/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects that the clock was set ahead. This makes every profile old. So the agent waits before it
 * deletes old ones. */
#ifndef GOTRACE_AGENT_CLOCK_STEPS_H
#define GOTRACE_AGENT_CLOCK_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero before the first look. */
struct clock_steps {
	bool known;
	int64_t offset_ns;    /* from the time since boot to the real time */
	uint64_t settling_ns; /* since boot: the end of the hour without deletions, or 0 */
};

/* Takes CLOCK_REALTIME and CLOCK_BOOTTIME. Returns how far the real time was set ahead since the
 * last call, or 0 for a step of at most a minute. */
uint64_t clock_steps_look(struct clock_steps *c, uint64_t real_ns, uint64_t boot_ns);
/* Returns false for an hour after the clock was set ahead, because it may be set back. */
bool clock_steps_settled(const struct clock_steps *c, uint64_t boot_ns);

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "attach/pausing.h"

#include "base/clock.h"

/* NULL: none, or not yet. */
static struct rings *rings_of(const struct recording *r)
{
	return r->collector ? collector_rings(r->collector) : NULL;
}

/* Probes and rings do not change at the same moment: up to the time that is returned both are on,
 * or from then on. */
uint64_t pausing_pause(struct recording *r)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct rings *rings = rings_of(r);

	if (!r->unprobed)
		r->probes.state->paused = PAUSED_CALLS;
	if (rings)
		rings_pause(rings);
	return now_ns;
}

uint64_t pausing_resume(struct recording *r)
{
	struct rings *rings = rings_of(r);

	if (rings)
		rings_resume(rings);
	if (!r->unprobed)
		r->probes.state->paused = PAUSED_NOT;
	return clock_monotonic_ns();
}

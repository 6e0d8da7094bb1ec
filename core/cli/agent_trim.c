// SPDX-License-Identifier: BSD-2-Clause
/* What the limits of the store take out of it. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/agent_run.h"

#define TELL_NS (3600 * 1000000000ull)

static void tell(struct agent *a, uint64_t now_ns)
{
	const struct store_trimmed *now = &a->trimmed, *told = &a->trimmed_told;

	log_info("removed from the store: %" PRIu64 " profiles that are too old, %" PRIu64
		 " that are too many, with %" PRIu64 " samples, %" PRIu64 " bytes",
		 now->old - told->old, now->too_many - told->too_many, now->samples - told->samples,
		 now->bytes - told->bytes);
	if (now->given_up > told->given_up)
		log_warn("%" PRIu64 " profiles are not pushed any more: more bytes wait than may",
			 now->given_up - told->given_up);
	a->trimmed_told = a->trimmed;
	a->trimmed_ns = now_ns;
}

/* max_age, as long as the clock can be believed. */
static uint64_t max_age_of(struct agent *a)
{
	const uint64_t boot_ns = clock_boottime_ns(),
		       ahead_ns = clock_steps_look(&a->clocks, clock_realtime_ns(), boot_ns);

	if (ahead_ns && a->config.max_age_ns)
		log_warn("the clock was set ahead by %" PRIu64
			 " s, so no profile is taken out of the store as too old for an hour",
			 ahead_ns / 1000000000);
	return clock_steps_settled(&a->clocks, boot_ns) ? a->config.max_age_ns : 0;
}

void agent_trim(struct agent *a, bool last)
{
	const struct agent_config *c = &a->config;
	const struct store_trimmed *told = &a->trimmed_told;
	const uint64_t now_ns = clock_monotonic_ns();

	store_trim(&a->store, a->from_ns, max_age_of(a), c->max_bytes,
		   c->url ? c->pending_bytes : 0, &a->trimmed);
	if (a->trimmed.old == told->old && a->trimmed.too_many == told->too_many &&
	    a->trimmed.given_up == told->given_up)
		return;
	if (last || !a->trimmed_ns || now_ns - a->trimmed_ns >= TELL_NS)
		tell(a, now_ns);
}

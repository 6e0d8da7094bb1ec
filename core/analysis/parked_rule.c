// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/parked_rule.h"

#define PARKED_PCT 95        /* of its life, in one place, */
#define WAITS_MAX  3         /* in so many waits, */
#define LONG_NS    250000000 /* or in a loop of its own in waits of this mean */
#define REST_PCT   1         /* of the time recorded: less than this is nothing */

bool parked_rule(const struct parked_life *life)
{
	const bool few = life->waits <= WAITS_MAX ||
			 (life->own_loop && life->there_ns / LONG_NS >= life->waits);

	return few && !life->lock && life->there_ns / PARKED_PCT >= life->life_ns / 100;
}

bool parked_rule_keeps_all(uint64_t rest_ns, uint64_t span_ns)
{
	return rest_ns < span_ns / 100 * REST_PCT;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The one rule for parked goroutines, of recorded calls (parked.h) and of samples
 * (samples/sample_parked.h). */
#ifndef GOTRACE_PARKED_RULE_H
#define GOTRACE_PARKED_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* The life of a goroutine. All times are ns. */
struct parked_life {
	uint64_t life_ns;
	uint64_t there_ns, waits; /* in the place where it waited longest */
	/* It waits there for work (wait_for_work), in a loop that is its own. A handler that waits
	 * in each request is no such goroutine. */
	bool own_loop;
	bool lock; /* it waits there for a lock */
};

/*
 * Returns whether a goroutine is parked. It waited in one place for 95 % of its life, in few waits.
 * Three waits are few. Nobody is idle at a lock. In a loop of its own, more are few if a wait takes
 * a fourth of a second on average. The fourth of a second was chosen by looking at one WebSocket
 * server.
 */
bool parked_rule(const struct parked_life *life);

/* Returns whether so little time would remain without parked goroutines that all are shown.
 * span_ns: the length of the recording. */
bool parked_rule_keeps_all(uint64_t rest_ns, uint64_t span_ns);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each goroutine waited longest, and how such waits are left out of what counts. */
#ifndef GOTRACE_PLACES_H
#define GOTRACE_PLACES_H

#include "model/model.h"

/*
 * Where a goroutine waited for more than half of the time that it waited: the path of the call, the
 * function as it counts, and Go's reason. Handed out as the goroutine ends, or at the end of the
 * trace; valid until the callback returns. ns and n: at least so long, in so many waits.
 */
struct goroutine_place {
	const struct goroutine_info *g; /* life_ns is set */
	uint32_t path, func, reason;
	uint64_t ns, n;
	bool there; /* it waits there still */
};

/*
 * After model_finish, before model_correct: takes waits of a path out of its self time, and out of
 * the totals of all above it on the same goroutine, out of model_waits and out of the totals of
 * all, lives included. The counts and durations of calls stay. No more than there is; returns how
 * much, ns.
 */
uint64_t model_leave_out(struct model *m, const struct path_waits *what);

/* How many waits of what's path, function and reason there were, or are left. */
uint64_t model_wait_count(const struct model *m, const struct path_waits *what);

#endif

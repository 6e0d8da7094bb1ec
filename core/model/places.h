/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each goroutine waited longest, and how such waits are left out of all numbers. */
#ifndef GOTRACE_PLACES_H
#define GOTRACE_PLACES_H

#include "model/model.h"

/*
 * The place where a goroutine spent more than half of its waiting: the path of the call, the
 * function as it counts, and Go's reason. The model hands it out when the goroutine ends, or at the
 * end of the trace. It is valid until the callback returns. The goroutine waited there at least ns,
 * in at least n waits.
 */
struct goroutine_place {
	const struct goroutine_info *g; /* life_ns is set */
	uint32_t path, func, reason;
	uint64_t ns, n;
	bool there; /* the goroutine still waits there */
};

/*
 * Takes waits of a path out of its self time and out of the totals of all paths above it on the
 * same goroutine. It also takes them out of model_waits and of model_totals, lives included. The
 * counts and durations of calls stay. To be called after model_finish, before model_correct. It
 * takes no more than there is, and returns how much, ns.
 */
uint64_t model_leave_out(struct model *m, const struct path_waits *what);

/* Returns how many waits with the path, function and reason of `what` are in model_waits. */
uint64_t model_wait_count(const struct model *m, const struct path_waits *what);

#endif

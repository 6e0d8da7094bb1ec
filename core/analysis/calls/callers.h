/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the caller of each call. Calls come in the order in which they began. */
#ifndef GOTRACE_CALLERS_H
#define GOTRACE_CALLERS_H

#include "base/hash_index.h"
#include "model/model.h"

/* The calls open on a goroutine, or on a thread's system stack. */
struct caller_stack {
	uint64_t key; /* goroutine or thread */
	bool system;
	uint64_t end_ns; /* end of its outermost call, after which the stack can be dropped */
	uint64_t *ids;   /* by level */
	size_t cap;
};

struct callers {
	struct caller_stack *stacks;
	size_t n, cap;
	struct hash_index index; /* finds stacks */
	size_t sweep_at;         /* with so many stacks, those that are over are dropped */
};

/*
 * Notes call c, which has the number id, not 0. Sets *caller to the number of its caller, 0 for an
 * outermost call. Memory grows with the goroutines that have open calls at one time. 0 or -ENOMEM.
 */
int callers_put(struct callers *t, const struct call *c, uint64_t id, uint64_t *caller);
void callers_free(struct callers *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Who called a call, of calls that come in the order in which they began. */
#ifndef GOTRACE_CALLERS_H
#define GOTRACE_CALLERS_H

#include "base/hash_index.h"
#include "model/model.h"

/* The calls open on a goroutine, or on a thread's system stack. */
struct caller_stack {
	uint64_t key; /* goroutine or thread */
	bool system;
	uint64_t end_ns; /* of its outermost call: after that it can be forgotten */
	uint64_t *ids;   /* by level */
	size_t cap;
};

struct callers {
	struct caller_stack *stacks;
	size_t n, cap;
	struct hash_index index; /* of stacks */
	size_t sweep_at;         /* with so many, those that are over are forgotten */
};

/*
 * Takes note of call c, which has number id, not 0; *caller is the number of the
 * call that it was made in, 0 when it is outermost. Memory grows with the
 * goroutines that have calls open at one time. 0 or -ENOMEM.
 */
int callers_put(struct callers *t, const struct call *c, uint64_t id, uint64_t *caller);
void callers_free(struct callers *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Goroutines of a process that are alike, counted: by stack, state and what they wait for. */
#ifndef GOTRACE_GOROUTINE_GROUPS_H
#define GOTRACE_GOROUTINE_GROUPS_H

#include "attach/sample/snapshot.h"
#include "base/hash_index.h"

struct goroutine_group {
	uint32_t n, flags;      /* flags: STACK_* */
	size_t first;           /* of its n addresses in `pcs`, innermost first */
	uint8_t state, reason;  /* as in struct snapshot_goroutine */
	uint64_t count, before; /* now, and in the look before */
	uint64_t aged;          /* of count, those that a garbage collection has seen wait */
	uint64_t oldest_ns;     /* 0: of none; the longest of these waits no longer than that */
};

/* Zeroed at first. */
struct goroutine_groups {
	struct goroutine_group *groups;
	size_t n, cap;
	uint64_t *pcs;
	size_t n_pcs, cap_pcs;
	struct hash_index by_stack;
	uint64_t now_ns;                          /* given: CLOCK_MONOTONIC of the look */
	uint64_t count, before, torn, of_runtime; /* torn: kept changing; not in count */
	int err;                                  /* -ENOMEM: not all are in it */
};

/* Counts one; a snapshot_fn, whose ctx is the groups. Those of Go's runtime only as such. */
void goroutine_groups_add(void *ctx, const struct snapshot_goroutine *g);
/* What was counted is of the look before from now on. */
void goroutine_groups_again(struct goroutine_groups *g, uint64_t now_ns);
/* The largest first, or those that grew most; then by stack. Indices are others afterwards, and no
 * more may be added. */
void goroutine_groups_sort(struct goroutine_groups *g, bool by_growth);
void goroutine_groups_free(struct goroutine_groups *g);

static inline int64_t goroutine_group_growth(const struct goroutine_group *x)
{
	return (int64_t)x->count - (int64_t)x->before;
}

#endif

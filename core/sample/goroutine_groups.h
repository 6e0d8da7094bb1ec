/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of goroutines of a process by stack, state and wait reason. */
#ifndef GOTRACE_GOROUTINE_GROUPS_H
#define GOTRACE_GOROUTINE_GROUPS_H

#include "sample/snapshot.h"
#include "base/hash_index.h"

struct goroutine_group {
	uint32_t n, flags;      /* flags: STACK_* */
	size_t first;           /* index in `pcs` of its n addresses, innermost first */
	uint8_t state, reason;  /* values of struct snapshot_goroutine */
	uint64_t count, before; /* count: now; before: in the previous look */
	uint64_t aged;          /* those in count that a garbage collection has seen waiting */
	/* An upper bound of the longest wait of these in ns, or 0 if none is known. */
	uint64_t oldest_ns;
};

/* Zeroed at first. */
struct goroutine_groups {
	struct goroutine_group *groups;
	size_t n, cap;
	uint64_t *pcs;
	size_t n_pcs, cap_pcs;
	struct hash_index by_stack;
	uint64_t now_ns; /* given: CLOCK_MONOTONIC of the look */
	/* torn: goroutines that kept changing, not in count */
	uint64_t count, before, torn, of_runtime;
	int err; /* -ENOMEM: some goroutines are missing */
};

/* Counts a goroutine. It is a snapshot_fn with the groups as ctx. Goroutines of Go's runtime count
 * in of_runtime only. */
void goroutine_groups_add(void *ctx, const struct snapshot_goroutine *g);
/* Makes the present counts those of the previous look. */
void goroutine_groups_again(struct goroutine_groups *g, uint64_t now_ns);
/* Sorts the groups by size or by growth, largest first, then by stack. Indices change, and
 * goroutine_groups_add must not be called afterwards. */
void goroutine_groups_sort(struct goroutine_groups *g, bool by_growth);
void goroutine_groups_free(struct goroutine_groups *g);

static inline int64_t goroutine_group_growth(const struct goroutine_group *x)
{
	return (int64_t)x->count - (int64_t)x->before;
}

#endif

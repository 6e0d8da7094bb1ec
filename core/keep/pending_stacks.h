/* SPDX-License-Identifier: BSD-2-Clause */
/* What is open on each goroutine and each thread, found by number. */
#ifndef GOTRACE_PENDING_STACKS_H
#define GOTRACE_PENDING_STACKS_H

#include "base/hash_index.h"
#include "keep/pending.h"
#include "pair/pair.h"

/* An open call. A function that it jumps to is part of it, because both end together. The first
 * call is the longest. */
struct pending_call {
	struct pending *held;
	uint32_t depth, func, target, site; /* site: that told of its entry */
	unsigned flags;                     /* PAIR_*, LANE_JOINED */
};
#define LANE_JOINED PAIR_OWN /* `held` is that of the call below it, which has jumped to it */

/* A goroutine, or a thread's system stack. */
struct pending_stack {
	uint64_t id;
	bool system;
	uint32_t index;       /* in its table */
	struct pending *life; /* of a goroutine whose beginning was seen */
	struct pending *stop; /* its prologue that is stopped */
	uint32_t state;       /* the last one recorded, without STATE_OFF_CPU; 0 if unknown */
	uint32_t off;         /* STATE_OFF_CPU as recorded; 0 while it has a processor */
	uint32_t off_tid;     /* whose switch ends it */
	uint64_t off_ns;      /* since when */
	bool lost;            /* until an event of a state tells */
	uint64_t losses;      /* of lanes: so many are applied to it */
	struct pending_call *frames;
	size_t n, cap;
};

struct pending_stacks {
	struct pending_stack **all;
	size_t n, cap;
	struct hash_index by_id;
	struct pending_stack *recent[PAIR_RECENT_MAX];
	uint64_t losses; /* of the states of all */
};

struct pending_stack *pending_stacks_find(struct pending_stacks *t,
					  uint64_t id); /* NULL: not there */
struct pending_stack *pending_stacks_make(struct pending_stacks *t,
					  uint64_t id); /* found or made; NULL and errno: ENOMEM */
static inline struct pending_stack *pending_stacks_get(struct pending_stacks *t, uint64_t id)
{
	struct pending_stack *l = *PAIR_RECENT(t, id);

	return l && l->id == id ? l : pending_stacks_make(t, id);
}

/* No state is known any more: of each it is forgotten when it is found next. */
void pending_stacks_lose(struct pending_stacks *t);
void pending_stacks_remove(struct pending_stacks *t, struct pending_stack *l);
void pending_stacks_free(struct pending_stacks *t);

#endif

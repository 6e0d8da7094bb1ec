/* SPDX-License-Identifier: BSD-2-Clause */
/* The open calls of each goroutine and each thread, found by number. */
#ifndef GOTRACE_PENDING_STACKS_H
#define GOTRACE_PENDING_STACKS_H

#include "base/hash_index.h"
#include "keep/pending.h"
#include "pair/pair.h"

/* An open call. A function that it jumps to is part of it, because both end together. The first
 * call is the longest. */
struct pending_call {
	struct pending *held;
	uint32_t depth, func, target, site; /* site: the site of its entry */
	unsigned flags;                     /* PAIR_*, LANE_JOINED */
};
#define LANE_JOINED PAIR_OWN /* `held` is that of the call below it, which has jumped to it */

/* A goroutine, or a thread's system stack. */
struct pending_stack {
	uint64_t id;
	bool system;
	uint32_t index;       /* index in its table */
	struct pending *life; /* the life of a goroutine whose beginning was seen */
	struct pending *stop; /* its stopped prologue */
	uint32_t state;       /* the last one recorded, without STATE_OFF_CPU; 0 if unknown */
	uint32_t off;         /* STATE_OFF_CPU as recorded; 0 while it has a processor */
	uint32_t off_tid;     /* thread whose switch ends it */
	uint64_t off_ns;      /* time since which it is off */
	bool lost;            /* states were lost; cleared by an event of a state */
	uint64_t losses;      /* number of the losses of its table that are applied to it */
	struct pending_call *frames;
	size_t n, cap;
};

struct pending_stacks {
	struct pending_stack **all;
	size_t n, cap;
	struct hash_index by_id;
	struct pending_stack *recent[PAIR_RECENT_MAX];
	uint64_t losses; /* number of losses of all stacks' states */
};

struct pending_stack *pending_stacks_find(struct pending_stacks *t,
					  uint64_t id); /* NULL when not there */
struct pending_stack *pending_stacks_make(struct pending_stacks *t,
					  uint64_t id); /* found or made; NULL with errno ENOMEM */
static inline struct pending_stack *pending_stacks_get(struct pending_stacks *t, uint64_t id)
{
	struct pending_stack *l = *PAIR_RECENT(t, id);

	return l && l->id == id ? l : pending_stacks_make(t, id);
}

/* Forgets all states. A stack's state is forgotten when it is next found. */
void pending_stacks_lose(struct pending_stacks *t);
void pending_stacks_remove(struct pending_stacks *t, struct pending_stack *l);
void pending_stacks_free(struct pending_stacks *t);

#endif

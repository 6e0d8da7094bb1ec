/* SPDX-License-Identifier: BSD-2-Clause */
/* What is open on each goroutine and each thread, found by number. */
#ifndef GOTRACE_LANES_H
#define GOTRACE_LANES_H

#include "base/hash_index.h"
#include "keep/held.h"
#include "pair/pair.h"

/* An open call. What it jumps to is part of it: they end together, so that one is not of use
 * without the other, and the first is the longest. */
struct lane_call {
	struct held *held;
	uint32_t depth, func, target, site; /* site: that told of its entry */
	unsigned flags;                     /* PAIR_*, LANE_JOINED */
};
#define LANE_JOINED PAIR_OWN /* `held` is that of the call below it, which has jumped to it */

/* A goroutine, or a thread's system stack. */
struct lane {
	uint64_t id;
	bool system;
	uint32_t index;    /* in its table */
	struct held *life; /* of a goroutine whose beginning was seen */
	struct held *stop; /* its prologue that is stopped */
	uint32_t state;    /* as it was told last, but for STATE_OFF_CPU; 0: not known */
	uint32_t off;      /* STATE_OFF_CPU, as it was told; 0: it has a processor */
	uint32_t off_tid;  /* whose switch ends it */
	uint64_t off_ns;   /* since when */
	bool lost;         /* until an event of a state tells */
	uint64_t losses;   /* of lanes: so many are applied to it */
	struct lane_call *frames;
	size_t n, cap;
};

struct lanes {
	struct lane **all;
	size_t n, cap;
	struct hash_index by_id;
	struct lane *recent[PAIR_RECENT_MAX];
	uint64_t losses; /* of the states of all */
};

struct lane *lanes_find(struct lanes *t, uint64_t id); /* NULL: not there */
struct lane *lanes_make(struct lanes *t, uint64_t id); /* found or made; NULL and errno: ENOMEM */
static inline struct lane *lanes_get(struct lanes *t, uint64_t id)
{
	struct lane *l = *PAIR_RECENT(t, id);

	return l && l->id == id ? l : lanes_make(t, id);
}

/* No state is known any more: of each it is forgotten when it is found next. */
void lanes_lose(struct lanes *t);
void lanes_remove(struct lanes *t, struct lane *l);
void lanes_free(struct lanes *t);

#endif

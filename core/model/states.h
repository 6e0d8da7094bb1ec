/* SPDX-License-Identifier: BSD-2-Clause */
/* What the model keeps of the states of goroutines. Private to core/model. */
#ifndef GOTRACE_STATES_H
#define GOTRACE_STATES_H

#include "base/hash_index.h"
#include "model/holds.h"
#include "model/levels.h"
#include "model/model.h"

/* Where a goroutine has waited longest, if that is more than half of all its waiting. */
struct wait_place {
	uint32_t path, func;
	uint16_t reason;
	uint64_t ns, n;    /* there, since it is the place; ns 0: none yet */
	uint64_t votes_ns; /* for it, less those for others */
	bool there;        /* it waits there now */
};

/* Of a goroutine. */
struct stack_states {
	uint64_t life_ns; /* when its life, or what counts of it, began */
	uint64_t from_ns; /* when the span began */
	uint64_t mark_ns; /* up to where it is charged; running is charged to nothing */
	uint64_t by;      /* as in state_span */
	uint32_t by_func; /* the same */
	uint16_t now, reason;
	uint16_t was;         /* before STATE_OFF_CPU */
	uint16_t last_reason; /* of its last wait, that lasted so long; 0 to 0: there was none */
	uint64_t last_from_ns, last_to_ns;
	uint64_t call_to_ns; /* when its last outermost call ended, of call_func; 0: none has */
	uint32_t call_func;
	uint32_t off_tid;     /* the thread that left then */
	bool lost;            /* unknown, until an event of a state tells */
	struct level level;   /* as the model's levels count it */
	struct off_times off; /* since life_ns */
	/* what went by since the stop of a prologue that has gone on unseen; charged to the call
	 * below, unless states_ran */
	struct off_times late;
	uint16_t late_reason;
	struct wait_place place; /* with model_options.on_place */
};

/* Of an open call. */
struct frame_states {
	struct off_times before; /* its goroutine's `off` as it began */
	struct off_times self;
	size_t waits; /* call_waits.c: where its own begin */
	/* holds.c: since when it may hold a lock, 0: since it began; the longest of its callees
	 * since then, and their number */
	uint64_t since_ns, longest_ns;
	uint32_t longest;
};

/* Waits by path, function and reason. */
struct waits {
	struct path_waits *all;
	size_t n, cap;
	struct hash_index index;
};

/* Waits by function, reason and who ended them: wakes.c. */
struct wakes {
	struct func_wakes *all;
	size_t n, cap;
	struct hash_index index;
};
void wakes_free(struct wakes *w);                              /* leaves it empty */
int wakes_put(struct wakes *w, const struct func_wakes *what); /* adds; 0 or -ENOMEM */

/* Holds of locks: holds.c. */
struct holds {
	struct hold *all;
	size_t n, cap;
	struct hash_index index;
};
void holds_free(struct holds *h); /* leaves it empty */

/* 0 or -ENOMEM; n: how many. Adds, also the two's complement of what is to be taken away. */
int waits_add(struct waits *w, const struct path_waits *what);
/* Takes ns, and what->n waits, from those of what's path, function and reason. */
void waits_take(struct waits *w, const struct path_waits *what, uint64_t ns);
void waits_free(struct waits *w); /* leaves it empty */

void off_times_sub(struct off_times *from, const struct off_times *what);
/* The part of t that is of a state, which is not STATE_RUNNING. */
uint64_t *off_time(struct off_times *t, unsigned state);

#endif

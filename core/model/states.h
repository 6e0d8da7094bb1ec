/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's record of the states of goroutines. Private to core/model. */
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
	uint64_t ns, n;    /* waits there since it became the place; 0 while there is no place */
	uint64_t votes_ns; /* time for this place, less time for others */
	bool there;        /* the goroutine waits there now */
};

/* The state of a goroutine. */
struct stack_states {
	uint64_t life_ns; /* when its life began, or the part of it that counts */
	uint64_t from_ns; /* when the span began */
	uint64_t mark_ns; /* time is charged up to here; running is charged to nothing */
	uint64_t by;      /* by and by_func are those of state_span */
	uint32_t by_func;
	uint16_t now, reason;
	uint16_t was; /* before STATE_OFF_CPU */
	/* the reason, begin and end of its last wait; 0 before a wait */
	uint16_t last_reason;
	uint64_t last_from_ns, last_to_ns;
	/* when its last outermost call, a call of call_func, ended; 0 before that */
	uint64_t call_to_ns;
	uint32_t call_func;
	uint32_t off_tid;     /* the thread that lost its processor */
	bool lost;            /* its state is unknown until the next event of a state */
	struct level level;   /* how the model's levels count it */
	struct off_times off; /* since life_ns */
	/* Time since the stop of a prologue that went on unseen. It is charged to the call below,
	 * unless states_ran is called. */
	struct off_times late;
	uint16_t late_reason;
	struct wait_place place; /* with model_options.on_place */
};

/* The states of an open call. */
struct frame_states {
	struct off_times before; /* its goroutine's `off` when the call began */
	struct off_times self;
	size_t waits; /* call_waits.c: index of its first wait */
	/* For holds.c. since_ns: begin of a possible hold, 0 for the begin of the call. longest_ns,
	 * longest: the duration and the function of the longest callee since then. released: a
	 * release was at since_ns. */
	uint64_t since_ns, longest_ns;
	uint32_t longest;
	bool released;
};

/* Waits by path, function and reason. */
struct waits {
	struct path_waits *all;
	size_t n, cap;
	struct hash_index index;
};

/* Waits by function, reason and waker, for wakes.c. */
struct wakes {
	struct func_wakes *all;
	size_t n, cap;
	struct hash_index index;
};
void wakes_free(struct wakes *w);                              /* leaves it empty */
int wakes_put(struct wakes *w, const struct func_wakes *what); /* adds; 0 or -ENOMEM */

/* Holds of locks, for holds.c. */
struct holds {
	struct hold *all;
	size_t n, cap;
	struct hash_index index;
};
void holds_free(struct holds *h); /* leaves it empty */

/* Adds what->ns and what->n. Both may be the two's complement of a number to subtract. 0 or
 * -ENOMEM */
int waits_add(struct waits *w, const struct path_waits *what);
/* Subtracts ns and what->n waits from the waits with the path, function and reason of `what`. */
void waits_take(struct waits *w, const struct path_waits *what, uint64_t ns);
void waits_free(struct waits *w); /* leaves it empty */

void off_times_sub(struct off_times *from, const struct off_times *what);
/* The part of t for a state, which is not STATE_RUNNING. */
uint64_t *off_time(struct off_times *t, unsigned state);

#endif

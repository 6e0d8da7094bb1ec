/* SPDX-License-Identifier: BSD-2-Clause */
/* How many goroutines execute while others are runnable. Private to core/model. */
#ifndef GOTRACE_LEVELS_H
#define GOTRACE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#define LEVELS 65 /* the last one stands for LEVELS - 1 goroutines and more */

struct levels {
	uint64_t at_ns; /* time is counted up to here */
	uint64_t executing, runnable;
	uint64_t ns[LEVELS]; /* time with at least one runnable goroutine, by how many execute */
};

/* How a goroutine counts. */
struct level {
	bool executes, runnable;
};

/* A goroutine that counted as *is counts as `next` from ts_ns on. */
void levels_move(struct levels *l, struct level *is, struct level next, uint64_t ts_ns);
/* Forgets all time that was counted so far. */
void levels_restart(struct levels *l, uint64_t ts_ns);

#endif

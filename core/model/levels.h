/* SPDX-License-Identifier: BSD-2-Clause */
/* How many goroutines execute while others are runnable. Private to core/model. */
#ifndef GOTRACE_LEVELS_H
#define GOTRACE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#define LEVELS 65 /* the last is of so many and more */

struct levels {
	uint64_t at_ns; /* up to where it is counted */
	uint64_t executing, runnable;
	uint64_t ns[LEVELS]; /* with one runnable and more, by how many execute */
};

/* What a goroutine counts as. */
struct level {
	bool executes, runnable;
};

/* A goroutine that counted as *is counts as `next` from ts_ns on. */
void levels_move(struct levels *l, struct level *is, struct level next, uint64_t ts_ns);
/* What was counted so far counts no more. */
void levels_restart(struct levels *l, uint64_t ts_ns);

#endif

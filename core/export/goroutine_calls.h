/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of a trace by goroutine, and those goroutines that are worth a look. */
#ifndef GOTRACE_GOROUTINE_CALLS_H
#define GOTRACE_GOROUTINE_CALLS_H

#include <stdbool.h>

#include "analysis/calls/call_spool.h"
#include "analysis/calls/goroutine_rows.h"

struct goroutine_calls {
	uint64_t *order; /* indices of calls that have ended, by goroutine, else as they began */
	/* by goroutine, in the order of their images and numbers, system stacks last */
	struct calls_of_one {
		size_t at, n;    /* in `order` */
		uint64_t ran_ns; /* in all of its life; 0 where the trace does not say */
		bool chosen;
	} * all;
	size_t n;
};

/* Of rows of goroutines, in which goroutine_calls_find looks names and times up. */
int goroutine_calls_order(const void *x, const void *y);

/* Of a spool that is mapped, with rows sorted by goroutine_calls_order. To be freed in any case. 0
 * or -ENOMEM. */
int goroutine_calls_find(struct goroutine_calls *g, const struct call_spool *calls,
			 const struct goroutines *rows);
void goroutine_calls_free(struct goroutine_calls *g);

/* Chooses all goroutines where there are no more than `many` with no more than `calls` calls
 * together; else, of those that ran most, `most` whose calls fit. Returns how many. */
size_t goroutine_calls_choose(struct goroutine_calls *g, size_t many, size_t most, size_t calls);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of a trace by goroutine, and the choice of goroutines to show. */
#ifndef GOTRACE_GOROUTINE_CALLS_H
#define GOTRACE_GOROUTINE_CALLS_H

#include <stdbool.h>

#include "analysis/calls/call_spool.h"
#include "analysis/calls/goroutine_rows.h"

struct goroutine_calls {
	/* indices of calls that have ended, by goroutine, then in the order in which they began */
	uint64_t *order;
	/* by goroutine, in the order of their images and numbers, system stacks last */
	struct calls_of_one {
		size_t at, n;    /* in `order` */
		uint64_t ran_ns; /* running time in its whole life; 0 when not known */
		bool chosen;
	} * all;
	size_t n;
};

/* The order of rows of goroutines that goroutine_calls_find needs. */
int goroutine_calls_order(const void *x, const void *y);

/* Groups the calls of a mapped spool. The rows must be sorted by goroutine_calls_order. 0 or
 * -ENOMEM; to be freed in either case. */
int goroutine_calls_find(struct goroutine_calls *g, const struct call_spool *calls,
			 const struct goroutines *rows);
void goroutine_calls_free(struct goroutine_calls *g);

/* Chooses all goroutines where there are at most `many`, with at most `calls` calls together.
 * Otherwise it chooses, of the goroutines that ran most, `most` whose calls fit. Returns their
 * number. */
size_t goroutine_calls_choose(struct goroutine_calls *g, size_t many, size_t most, size_t calls);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The goroutines of a trace and their lives. Goroutines that one go statement started with one
 * function may be one row. */
#ifndef GOTRACE_GOROUTINE_ROWS_H
#define GOTRACE_GOROUTINE_ROWS_H

#include "analysis/trace_load.h"

/* A goroutine, or all goroutines of one creation site and first function. */
struct goroutine_row {
	struct goroutine_info g; /* counts and times are sums, first_ns is the earliest */
	uint64_t n, n_ended;
	uint64_t life_ns, max_life_ns; /* life_ns: the sum */
};

struct goroutines {
	struct goroutine_row *rows;
	size_t n, cap;
};

/* Adds a goroutine that ended (trace_watch.on_goroutine). Leaves out system stacks without a call.
 * 0 or -ENOMEM */
int goroutines_add(struct goroutines *l, const struct goroutine_info *g);
/*
 * Sets the length of each life, after the last goroutine was added. A goroutine that did not end
 * lived as long as its process image. Where ends cannot be seen, its life is known only up to its
 * last event. 0 or -ENOMEM
 */
int goroutines_measure(struct goroutines *l, const struct loaded_trace *t);
/* Makes one row of goroutines with one creation site and first function. To be called after
 * goroutines_measure. */
void goroutines_fold(struct goroutines *l);
void goroutines_free(struct goroutines *l);

#endif

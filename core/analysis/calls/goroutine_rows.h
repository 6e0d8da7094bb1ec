/* SPDX-License-Identifier: BSD-2-Clause */
/* The goroutines of a trace: how long they lived, and those that one go statement started with one
 * function made one row. */
#ifndef GOTRACE_GOROUTINE_ROWS_H
#define GOTRACE_GOROUTINE_ROWS_H

#include "analysis/trace_load.h"

/* A goroutine, or all of one creation site and first function. */
struct goroutine_row {
	struct goroutine_info g; /* counts and times are sums, first_ns the first's */
	uint64_t n, n_ended;
	uint64_t life_ns, max_life_ns; /* life_ns: the sum */
};

struct goroutines {
	struct goroutine_row *rows;
	size_t n, cap;
};

/* To be called as goroutines end (trace_watch.on_goroutine). System stacks without a call are left
 * out. 0 or -ENOMEM */
int goroutines_add(struct goroutines *l, const struct goroutine_info *g);
/*
 * Sets how long each lived, after the last was added. A goroutine that did not end lived as long as
 * its process image; where ends cannot be seen, no longer than to its last event is known. 0 or
 * -ENOMEM
 */
int goroutines_measure(struct goroutines *l, const struct loaded_trace *t);
/* Makes those of one creation site and first function one row; after goroutines_measure. */
void goroutines_fold(struct goroutines *l);
void goroutines_free(struct goroutines *l);

#endif

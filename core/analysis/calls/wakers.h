/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that ended the waits of functions. */
#ifndef GOTRACE_WAKERS_H
#define GOTRACE_WAKERS_H

#include "analysis/trace_load.h"
#include "model/holds.h"

/* The rows of a function and reason stand together, the longest first. A function stands for its
 * deferred wrappers. */
struct wake_rows {
	struct func_wakes *all;
	size_t n;
};

/* Makes the rows of a trace that was read with trace_watch.wakes. 0 or -ENOMEM (logged);
 * wake_rows_free in either case. */
int wake_rows_load(struct wake_rows *w, const struct loaded_trace *t);
/* Returns the *n rows of a function and reason; NULL when there are none. */
const struct func_wakes *wake_rows_of(const struct wake_rows *w, uint32_t func, uint32_t reason,
				      size_t *n);
void wake_rows_free(struct wake_rows *w);

/* Returns the name for func_wakes.by or state_span.by_func: a function, "[runtime]" or "[not
 * recorded]". Returns NULL for WAKE_NONE. */
const char *wake_name(const struct trace_info *info, uint32_t by);

#endif

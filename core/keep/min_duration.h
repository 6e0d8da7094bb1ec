/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sink that passes on the events of calls that last at least so long, and of all calls and
 * goroutines that made these, in their order. A caller lasts longer than its calls, except across a
 * go statement. Then shorter calls are passed on for the goroutines that they started. A
 * goroutine's beginning and end are passed on when it lives so long, stopped prologues when they
 * last so long. Memory grows with open calls, not with events.
 */
#ifndef GOTRACE_MIN_DURATION_H
#define GOTRACE_MIN_DURATION_H

#include "trace/trace.h"

struct min_duration;

/* Makes the sink. It borrows info, for the functions of sites, and next. Returns NULL when there is
 * no memory. */
struct min_duration *min_duration_new(const struct trace_info *info, uint64_t min_ns,
				      const struct trace_sink *next);
struct trace_sink min_duration_sink(struct min_duration *m);
void min_duration_free(struct min_duration *m);

#endif

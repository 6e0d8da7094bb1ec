/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sink that passes on the events of calls that last at least so long, and of all that these were
 * made by, in the order in which they came. What made a call lasts longer, but where a go statement
 * is between: then calls that are shorter are passed on for what they started. A goroutine's
 * beginning and end are passed on when it lives so long, stopped prologues when they last so long.
 * Memory grows with what is open, not with events.
 */
#ifndef GOTRACE_MIN_DURATION_H
#define GOTRACE_MIN_DURATION_H

#include "trace/trace.h"

struct min_duration;

/* info, for the functions of sites, and next are borrowed. NULL: no memory. */
struct min_duration *min_duration_new(const struct trace_info *info, uint64_t min_ns,
				      const struct trace_sink *next);
struct trace_sink min_duration_sink(struct min_duration *m);
void min_duration_free(struct min_duration *m);

#endif

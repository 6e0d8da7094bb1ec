/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Corrects times. It takes the cost of events out of the calls that it was charged to. Samples of
 * the processor time give that cost. Where they are too few, it is the number of events times the
 * cost of one (core/model/CORRECTNESS.md).
 */
#ifndef GOTRACE_CORRECTION_H
#define GOTRACE_CORRECTION_H

#include "analysis/calls/doubt.h"
#include "analysis/trace_load.h"

/* Corrects a loaded trace, once. t->corrected says whether it could. It needs samples, or the
 * measured costs and events with known ways. 0 or -ENOMEM (logged). */
int correction_apply(struct loaded_trace *t);

/* Returns the corrected part of a function's or path's self time for a measured part. */
static inline uint64_t correction_part(const struct call_stats *st, uint64_t self_ns)
{
	uint64_t all_ns = st->self_ns + st->probe_ns;

	return st->probe_ns ? (uint64_t)((unsigned __int128)self_ns * st->self_ns / all_ns)
			    : self_ns;
}

/* Does that for a part in which goroutines ran. Probes cost time only there. */
static inline uint64_t correction_part_run(const struct call_stats *st, uint64_t run_ns)
{
	uint64_t left_ns = st->self_ns - off_times_sum(&st->off_self);
	uint64_t probe_ns = st->probe_ns - st->off_probe_ns - st->ready_probe_ns;

	return probe_ns ? (uint64_t)((unsigned __int128)run_ns * left_ns / (left_ns + probe_ns))
			: run_ns;
}

/* Returns whether doubtful rows hide the first certain one. They do if they have more than half of
 * the time, and it has less than a tenth. It is no answer then. */
static inline bool correction_hides(uint64_t above_ns, uint64_t first_ns, uint64_t all_ns)
{
	return above_ns > all_ns / 2 && first_ns < all_ns / 10;
}

/* Returns whether a certain function took time and is not hidden (correction_hides). */
bool correction_any_sure(const struct loaded_trace *t);

#endif

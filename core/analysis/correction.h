/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Corrected times: what the events themselves cost is taken out of the calls that it was
 * charged to.
 *
 * An event's time stamp is taken in the middle of what the event costs. So the part before the
 * stamp of an entry is in the caller's time and the part after it in the callee's; of an exit it is
 * the other way round; of an event that is both, all of it is in the caller's. How each event came
 * about is in its flags, what that costs was measured before the program started (cost.*_ns), and
 * by how much it costs more inside the program, the trace itself tells: no call can take
 * less than its events cost, so those that have little else show the scale.
 */
#ifndef GOTRACE_CORRECTION_H
#define GOTRACE_CORRECTION_H

#include "analysis/trace_load.h"

/* Corrects a trace that was loaded, once, and says in t->corrected whether it could: it needs the
 * costs, and events that say how they came about. 0 or -ENOMEM (logged). */
int correction_apply(struct loaded_trace *t);

/* What is left of a part of a function's or path's self time as measured. */
static inline uint64_t correction_part(const struct call_stats *st, uint64_t self_ns)
{
	uint64_t all_ns = st->self_ns + st->probe_ns;

	return st->probe_ns ? (uint64_t)((unsigned __int128)self_ns * st->self_ns / all_ns)
			    : self_ns;
}

/* The same of a part of it in which goroutines ran: only there do probes cost anything. */
static inline uint64_t correction_part_run(const struct call_stats *st, uint64_t run_ns)
{
	uint64_t left_ns = st->self_ns - off_times_sum(&st->off_self);

	return st->probe_ns
		       ? (uint64_t)((unsigned __int128)run_ns * left_ns / (left_ns + st->probe_ns))
		       : run_ns;
}

/* Is the function's or path's self time less than what the correction may be off? */
static inline bool correction_unsure(const struct call_stats *st)
{
	return st->uncertainty_ns && st->self_ns < st->uncertainty_ns;
}

#endif

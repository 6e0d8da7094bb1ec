/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Corrected times: what the events themselves cost is taken out of the calls that it was
 * charged to. Samples of the processor time tell how much that was, or where they are too few the
 * number of events and what one cost (core/model/CORRECTNESS.md).
 */
#ifndef GOTRACE_CORRECTION_H
#define GOTRACE_CORRECTION_H

#include "analysis/trace_load.h"

/* Corrects a trace that was loaded, once, and says in t->corrected whether it could: it needs
 * samples, or the costs and events that say how they came about. 0 or -ENOMEM (logged). */
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
	uint64_t probe_ns = st->probe_ns - st->off_probe_ns - st->ready_probe_ns;

	return probe_ns ? (uint64_t)((unsigned __int128)run_ns * left_ns / (left_ns + probe_ns))
			: run_ns;
}

/* Is the function's or path's self time less than what the correction may be off? */
static inline bool correction_unsure(const struct call_stats *st)
{
	return st->uncertainty_ns && st->self_ns < st->uncertainty_ns;
}

/*
 * Such a number could be wrong: no row of it stands first. Its self time is not sure, or probes
 * took more than is left of it. Likewise its running time, where that and the time without a
 * processor are most of it. A thread that traps has no processor more often.
 */
bool correction_doubtful(const struct call_stats *st);

/* Is the number of any function certain that took time? Without one no answer is. */
static inline bool correction_any_sure(const struct loaded_trace *t)
{
	bool doubtful = false;

	for (size_t i = 0; i < t->n_funcs; i++) {
		const bool sure = !correction_doubtful(&t->funcs[i]);

		if (sure && t->funcs[i].total_ns)
			return true;
		doubtful |= !sure;
	}
	return !doubtful;
}

#endif

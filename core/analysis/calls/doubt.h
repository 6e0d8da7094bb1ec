/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a corrected time could be wrong. */
#ifndef GOTRACE_DOUBT_H
#define GOTRACE_DOUBT_H

#include "model/model.h"

/* Returns whether the function's or path's self time is less than the uncertainty of its
 * correction. */
static inline bool correction_unsure(const struct call_stats *st)
{
	return st->uncertainty_ns && st->self_ns < st->uncertainty_ns;
}

/*
 * Returns whether the number could be wrong. A row with it never comes first. Its self time is not
 * sure, or probes took more than the rest of it. Where running and the time without a processor are
 * most of the self time, these rules also apply to the running time. A thread that traps has no
 * processor more often.
 */
bool correction_doubtful(const struct call_stats *st);

#endif

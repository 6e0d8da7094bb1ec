/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of which one at least has samples are compared by shares: a sample's weight is processor
 * time, a call's time is wall time, and two recordings have not the same length. Each side's share
 * is of all of its time that counts.
 */
#ifndef GOTRACE_DIFF_SHARES_H
#define GOTRACE_DIFF_SHARES_H

#include "analysis/diff/trace_diff.h"
#include "analysis/notes.h"

/*
 * Fills rows of functions. Of a trace with calls and one of samples, a sample counts for the
 * innermost function on its stack that the other one traced, as time in functions that are not
 * traced is self time of their caller there; samples with none are left out, and counted. 0 or
 * -ENOMEM.
 */
int diff_shares_functions(struct diff *d);
/* What all rows' self time comes to, when paths were matched by diff_load. */
void diff_shares_paths(struct diff *d);
/* Share of a row on side s (0, 1), per cent; of METRIC_SELF or METRIC_TOTAL. */
double diff_share_pct(const struct diff *d, const struct diff_row *row, enum diff_metric m,
		      unsigned s);
/* How many percentage points chance alone moves the difference of the two shares in 1 of 1,000
 * such comparisons: from the numbers of samples, each of which is one draw. */
double diff_share_chance(const struct diff *d, const struct diff_row *row, enum diff_metric m);
/* What is compared with what. */
void diff_shares_notes(const struct diff *d, struct notes *to);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares traces by shares where at least one has samples. A sample's weight is processor time,
 * and a call's time is wall time. Two recordings also differ in length. A side's shares are parts
 * of all of its time that counts.
 */
#ifndef GOTRACE_DIFF_SHARES_H
#define GOTRACE_DIFF_SHARES_H

#include "analysis/diff/trace_diff.h"
#include "analysis/notes.h"

/*
 * Fills rows of functions. With one trace of calls and one of samples, a sample counts for the
 * innermost function on its stack that the trace of calls traced. There, the time of functions that
 * are not traced is self time of their caller. Samples without such a function are left out, and
 * counted. 0 or -ENOMEM.
 */
int diff_shares_functions(struct diff *d);
/* Sets the sum of all rows' self time, when diff_load matched paths. */
void diff_shares_paths(struct diff *d);
/* Returns the share of a row on side s (0, 1), per cent, of METRIC_SELF or METRIC_TOTAL. */
double diff_share_pct(const struct diff *d, const struct diff_row *row, enum diff_metric m,
		      unsigned s);
/* Returns the percentage points by which chance alone moves the difference of two shares in 1 of
 * 1,000 comparisons. It depends on the numbers of samples, each of which is one draw. */
double diff_share_chance(const struct diff *d, const struct diff_row *row, enum diff_metric m);
/* Adds notes on the compared quantities. */
void diff_shares_notes(const struct diff *d, struct notes *to);

#endif

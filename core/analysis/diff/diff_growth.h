/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By how much a function of two recordings grew, and how sure that is.
 *
 * A recording's own calls say how far the mean of a call may be off. Two recordings of one binary
 * differ by more than that: caches, memory, other programs. That much, and only that, do functions
 * differ that nobody changed, which are most: their spread is the error of each. A shift that most
 * functions have is the machine's, or a change of all; one recording a side cannot tell.
 */
#ifndef GOTRACE_DIFF_GROWTH_H
#define GOTRACE_DIFF_GROWTH_H

#include "analysis/diff/trace_diff.h"

#define GROWTH_DRIFT_LEAST 3 /* functions that say how much functions differ */

/* Of one part of calls, logarithms of B over A: by which most functions grew, and by how much they
 * differ from it. */
struct diff_drift {
	double common, spread;
	size_t n; /* functions that say so; below GROWTH_DRIFT_LEAST there is none */
};

struct diff_noise {
	struct diff_drift mean[CALL_PARTS], low[CALL_PARTS];
};

/* Per cent of A's. */
struct growth {
	double pct;       /* NAN: nothing to compare with */
	double low, high; /* 19 of 20 such intervals hold the growth; may be infinite */
};

/* d is as diff_load left it, with states. 0 or -ENOMEM (logged). */
int diff_noise_learn(struct diff_noise *n, const struct diff *d);
/* Of METRIC_RUN, METRIC_SELF or METRIC_TOTAL; by call where the numbers of calls differ. */
struct growth diff_growth(const struct diff *d, const struct diff_noise *n,
			  const struct diff_row *row, enum diff_metric m);
/* Of METRIC_RUN where both sides are samples: as if they were drawn. 999 of 1,000 hold the growth.
 */
struct growth diff_growth_sampled(const struct diff *d, const struct diff_row *row);
/* Of two means of a call, each in the middle of what it may be off by, as growth of B over A: their
 * logarithm is `log`, their error (one deviation) `error`, with so many degrees of freedom; on each
 * side the interval misses with the chance `beyond`, and has `slack` besides. */
struct growth growth_of(double log, double error, double freedom, double beyond, double slack);
/* The part of g's interval that is in the other one's, too, with what the shorter of them is of. */
void growth_meet(struct growth *g, const struct growth *other);
/* Whether the interval is above or below 0. */
bool growth_sure(const struct growth *g);

#endif

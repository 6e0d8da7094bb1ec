/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The growth of a function between two recordings, and how sure it is.
 *
 * The calls of one recording give the error of their mean. Two recordings of one binary differ by
 * more, because of caches, memory, seeds and other programs. No call of one recording shows that.
 * Most functions did not change, and differ only by that. So their spread is the error of each
 * function. A shift of most functions comes from
 * the machine, or from a change of all; one recording a side cannot tell which.
 */
#ifndef GOTRACE_DIFF_GROWTH_H
#define GOTRACE_DIFF_GROWTH_H

#include "analysis/diff/trace_diff.h"

#define GROWTH_DRIFT_LEAST 3 /* fewest functions for the spread of functions */

/* For one part of calls, logarithms of B over A: the growth of most functions, and their spread
 * around it. */
struct diff_drift {
	double common, spread;
	size_t n; /* number of functions; below GROWTH_DRIFT_LEAST there is no drift */
};

struct diff_noise {
	struct diff_drift mean[CALL_PARTS], low[CALL_PARTS];
	size_t tests; /* number of growths that are judged together; 0 is 1 */
};

/* A growth in per cent of A. */
struct growth {
	double pct; /* NAN without a number to compare with */
	/* In 19 of 20 comparisons all intervals that are judged together hold; may be infinite. */
	double low, high;
};

/* Learns the noise from d, which diff_load filled and which has states. 0 or -ENOMEM (logged). */
int diff_noise_learn(struct diff_noise *n, const struct diff *d);
/* Returns the growth of METRIC_RUN, METRIC_SELF or METRIC_TOTAL, by call where the numbers of calls
 * differ. */
struct growth diff_growth(const struct diff *d, const struct diff_noise *n,
			  const struct diff_row *row, enum diff_metric m);
/* Returns the growth of METRIC_RUN where both sides are samples, as if they were drawn at random.
 * 999 of 1,000 such intervals hold the growth. */
struct growth diff_growth_sampled(const struct diff *d, const struct diff_row *row);
/* Returns the growth of B over A for two means of a call, each in the middle of its interval. `log`
 * is the logarithm of B over A, and `error` its error (one deviation) with `freedom` degrees of
 * freedom. On each side the interval misses with the chance `beyond`, and is wider by `slack`. */
struct growth growth_of(double log, double error, double freedom, double beyond, double slack);
/* Cuts g's interval to the part that is also in the other one's. pct becomes that of the shorter
 * interval. */
void growth_meet(struct growth *g, const struct growth *other);
/* Returns whether two numbers of calls differ by more than chance makes of one rate. Pools, timers
 * and the scheduler make such differences between runs of one program. */
bool growth_of_calls_sure(const struct diff_noise *n, uint64_t a, uint64_t b);
/* Returns whether the interval is above or below 0. */
bool growth_sure(const struct growth *g);

#endif

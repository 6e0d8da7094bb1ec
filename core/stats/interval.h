/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Medians and their intervals. The interval is that of the bootstrap (Efron 1979; percentiles of
 * the medians of resamples). It holds the true median in about 95 of 100 experiments. With five
 * values it goes from the least to the greatest, and holds the true median in 94 of 100. With fewer
 * values there is none.
 */
#ifndef GOTRACE_INTERVAL_H
#define GOTRACE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"

#define INTERVAL_LEAST     5     /* fewest values */
#define INTERVAL_RESAMPLES 10000 /* the default */

struct interval {
	double low, high;
};

/* Sorts v and returns its median, the mean of the two in the middle where n is even. No value may
 * be NAN. Returns NAN where n is 0. */
double interval_median(double *v, size_t n);

/* Computes the interval of v, which must be sorted. 0, -ENODATA where there are fewer than
 * INTERVAL_LEAST values, -ENOMEM. `resamples` is at least 1. */
int interval_bootstrap(const double *v, size_t n, uint32_t resamples, struct random_stream *d,
		       struct interval *out);

/* Returns whether v is in the interval, which includes its ends. */
bool interval_holds(const struct interval *i, double v);
/* Returns whether one end is more than `factor` times the other, or the interval holds 0. */
bool interval_wider(const struct interval *i, double factor);

#endif

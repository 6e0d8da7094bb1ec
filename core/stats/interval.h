/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Medians, and how sure they are. The interval is the bootstrap's (Efron 1979; percentiles of the
 * medians of resamples): where the true median is in about 95 of 100 experiments. With five values
 * it is all from the least to the greatest, which holds the true median in 94 of 100; with fewer
 * there is none.
 */
#ifndef GOTRACE_INTERVAL_H
#define GOTRACE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"

#define INTERVAL_LEAST     5     /* values */
#define INTERVAL_RESAMPLES 10000 /* where nothing else is asked for */

struct interval {
	double low, high;
};

/* Of v, which it sorts; the mean of the two in the middle where n is even. No value may be NAN. NAN
 * where n is 0. */
double interval_median(double *v, size_t n);

/* Of v, which must be sorted. 0; -ENODATA where there are fewer than INTERVAL_LEAST values,
 * -ENOMEM. `resamples` is at least 1. */
int interval_bootstrap(const double *v, size_t n, uint32_t resamples, struct random_stream *d,
		       struct interval *out);

/* Whether v is in it, its ends included. */
bool interval_holds(const struct interval *i, double v);
/* Whether one end is more than `factor` times the other; always, where it holds 0. */
bool interval_wider(const struct interval *i, double factor);

#endif

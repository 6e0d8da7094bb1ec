/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intervals of shares. For counted things they are exact (Clopper and Pearson 1934). For sums such
 * as times, each run has a part and a whole, and the interval is that of the bootstrap over runs.
 */
#ifndef GOTRACE_SHARE_H
#define GOTRACE_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"
#include "stats/interval.h"

/*
 * Sets *out to the interval of a chance by which k of n draws succeeded. It holds the chance, for
 * any value of it, in at least 95 of 100 experiments, if the draws are independent. 0, or -EINVAL
 * where n is 0 or k more than n.
 */
int share_exact(uint64_t k, uint64_t n, struct interval *out);

/*
 * Sets *out to the interval of the sum of parts over the sum of wholes. Runs are drawn again with
 * their part and whole together, so events in one run may depend on each other. 0, or -ENOMEM.
 * -ENODATA: there are fewer than INTERVAL_LEAST runs, or no whole is above 0. -EINVAL: a part or
 * whole is negative or no number. `resamples` is at least 1.
 */
int share_of_runs(const double *part, const double *whole, size_t n, uint32_t resamples,
		  struct random_stream *d, struct interval *out);

#endif

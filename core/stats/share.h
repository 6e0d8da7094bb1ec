/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares, and how sure they are: of things that were counted (exact, Clopper and Pearson 1934), and
 * of sums of which each run has a part and a whole, as times (the bootstrap's, over runs).
 */
#ifndef GOTRACE_SHARE_H
#define GOTRACE_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"
#include "stats/interval.h"

/*
 * Where the chance is of which k of n drawn ones came: the interval holds it in at least 95 of 100
 * experiments, whatever it is, if the n do not depend on each other. 0; -EINVAL: n is 0 or k more
 * than n.
 */
int share_exact(uint64_t k, uint64_t n, struct interval *out);

/*
 * The sum of parts in that of wholes, runs drawn again with their part and whole together, so that
 * what happened in one run may depend on each other. 0; -ENODATA: there are fewer than
 * INTERVAL_LEAST runs, or no whole is above 0; -EINVAL: a part or whole is negative or none;
 * -ENOMEM. `resamples` is at least 1.
 */
int share_of_runs(const double *part, const double *whole, size_t n, uint32_t resamples,
		  struct random_stream *d, struct interval *out);

#endif

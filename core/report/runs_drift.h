/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All functions of several runs together. Nobody changed most of them. In a run on a busy machine
 * most functions take longer, and that is the machine's. Without it, functions spread less, and the
 * spread of all tells more of one than its own few runs do.
 */
#ifndef GOTRACE_RUNS_DRIFT_H
#define GOTRACE_RUNS_DRIFT_H

#include "stats/variances.h"

struct runs_drift {
	/* By side and run: the logarithm by which most functions took longer than in the mean of
	 * all runs. */
	double *of_run[2];
	struct variance_prior prior; /* the spread of the logarithms without that */
	size_t n_runs[2];
	size_t n; /* number of functions; below VARIANCES_LEAST there is no drift */
};

/* Learns from the logarithms of n functions, `logs`, those of side A's runs first in each function.
 * 0 or -ENOMEM; runs_drift_free in either case. */
int runs_drift_learn(struct runs_drift *d, const double *logs, size_t n, const size_t n_runs[2]);
void runs_drift_free(struct runs_drift *d);

#endif

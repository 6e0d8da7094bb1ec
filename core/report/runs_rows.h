/* SPDX-License-Identifier: BSD-2-Clause */
/* Changed functions in several runs of each side, in order. */
#ifndef GOTRACE_RUNS_ROWS_H
#define GOTRACE_RUNS_ROWS_H

#include "report/diff_runs_text.h"

struct changed {
	const struct run_row *row;
	struct runs_change c;
};

struct comparing {
	const struct diff_runs *d;
	const struct diff_options *opt;
	enum diff_metric metric;
	double least;               /* a smaller change does not count */
	double beyond;              /* the chance of an interval to miss, on each side */
	struct runs_drift drift[2]; /* RUN's, and that of calls that ran shortest */
	struct changed *all;
	size_t n, n_hidden, n_folded;
	size_t n_self; /* folded functions that changed in SELF; with states, when compared by RUN
			*/
	struct runs_change wall;
};

/* Compares all functions, and checks them against opt's limit_of_run. x->all is to be freed. 0 or
 * -errno (logged; all is freed). */
int runs_compare_all(struct comparing *x, const struct diff_runs *d,
		     const struct diff_options *opt);
/* Returns whether m is compared by the spread of runs, as a ratio. Otherwise it is compared by
 * whether runs of both sides mix. */
bool runs_have_spread(const struct comparing *x, enum diff_metric m);

#endif

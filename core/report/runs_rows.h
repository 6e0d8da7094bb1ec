/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in several runs a side: which count as changed, in which order. */
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
	double least;  /* a change of less does not count */
	double beyond; /* an interval may miss on each side with this chance */
	struct changed *all;
	size_t n, n_hidden, n_folded;
	size_t n_self; /* of them, changed in SELF: with states, by RUN */
	struct runs_change wall;
};

/* Compares all functions, and holds them to opt's limit_of_run. all is to be freed. 0 or -errno
 * (logged; all is freed). */
int runs_compare_all(struct comparing *x, const struct diff_runs *d,
		     const struct diff_options *opt);
/* It is compared by the spread of runs, as a ratio; else by whether runs of both sides mix. */
bool runs_have_spread(const struct comparing *x, enum diff_metric m);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* diff A1 A2 A3 -- B1 B2 B3: what is different for more than the runs' own noise. */
#ifndef GOTRACE_DIFF_RUNS_TEXT_H
#define GOTRACE_DIFF_RUNS_TEXT_H

#include "analysis/diff/diff_runs.h"
#include "base/json.h"
#include "report/diff_formats.h"

/*
 * A function, or the whole program, in all runs. It has changed if every run of one side is above
 * every run of the other: of runs that do not differ that happens to 2 of (n_a + n_b over n_a)
 * orders.
 */
struct runs_change {
	double median[2];
	double pct;       /* of A's median; NAN: that is 0 */
	double low, high; /* of pct: the bootstrap's 95 %, from five runs a side on; else from the
			   * least of one side over the most of the other to the opposite */
	bool apart;       /* no run of one side is within those of the other */
};

/* a and b are sorted. 0 or -ENOMEM. */
int runs_compare(double *a, size_t n_a, double *b, size_t n_b, struct runs_change *out);
struct runs_sides {
	double *v[2];         /* a time of each run, in any order; sorted afterwards */
	const double *low[2]; /* what a call takes that nothing disturbs, run by run as v; NULL or a
			       * NAN among them: not known */
	const double *off[2]; /* how far off each may be, likewise; NULL if that is not known */
	size_t n[2];
};

/*
 * The same of times above 0, sure by Student's interval: `apart` says that it does not hold 0. Its
 * chance to miss the growth is `beyond` on each side. The growth is in the intervals of both times
 * and lows, unless these contradict each other. On a machine that was so busy that goroutines took
 * off_cpu times as long as they ran, times may be off by as much from what lows tell. Where a run
 * has no more than it may be off by, sides are apart only if what they may have is.
 */
int runs_grow(struct runs_sides *x, double beyond, double off_cpu, struct runs_change *out);
/* How often runs that do not differ are apart by chance: 0 to 1. */
double runs_chance(size_t n_a, size_t n_b);

/* Reads nothing: d has all runs. 0 or -errno (logged). */
int diff_runs_text(const struct diff_runs *d, const struct diff_options *opt, FILE *out);
int diff_runs_csv(const struct diff_runs *d, const struct diff_options *opt, FILE *out);
int diff_runs_json(const struct diff_runs *d, const struct diff_options *opt, FILE *out);

#endif

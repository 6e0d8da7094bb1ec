/* SPDX-License-Identifier: BSD-2-Clause */
/* diff A1 A2 A3 -- B1 B2 B3 reports differences that are larger than the runs' own noise. */
#ifndef GOTRACE_DIFF_RUNS_TEXT_H
#define GOTRACE_DIFF_RUNS_TEXT_H

#include "analysis/diff/diff_runs.h"
#include "base/json.h"
#include "report/diff_formats.h"
#include "report/runs_drift.h"

/*
 * A function, or the whole program, in all runs. It has changed if every run of one side is above
 * every run of the other. With runs that do not differ, this happens in 2 of (n_a + n_b over n_a)
 * orders.
 */
struct runs_change {
	double median[2];
	double pct; /* change in per cent of A's median; NAN where that is 0 */
	/* The interval of pct. With at least five runs on each side it is the bootstrap's 95 %.
	 * Otherwise it goes from the least of one side over the most of the other to the
	 * opposite. */
	double low, high;
	bool apart; /* no run of one side is within the runs of the other */
};

/* Compares the runs of both sides. a and b must be sorted. 0 or -ENOMEM. */
int runs_compare(double *a, size_t n_a, double *b, size_t n_b, struct runs_change *out);
struct runs_sides {
	double *v[2]; /* a time of each run, in any order; it gets sorted */
	/* the time of an undisturbed call in each run, in the order of v; NULL or with a NAN when
	 * not known */
	const double *low[2];
	const double *off[2]; /* the error of each v, in that order; NULL when not known */
	/* all functions show them, one for v and one for low; NULL when not known */
	const struct runs_drift *drift[2];
	size_t n[2];
};

/*
 * Compares times above 0 by Student's interval. `apart` means that the interval does not hold 0.
 * Its chance to miss the growth is `beyond` on each side. The growth is in the intervals of both
 * times and lows, with and without what most functions grew by, unless these contradict each other.
 * On a busy machine goroutines took off_cpu
 * times as long as they ran. Then times may differ by that factor from the lows. Where the time of
 * a run is within its error, sides are apart only if the ranges of their possible times are.
 */
int runs_grow(struct runs_sides *x, double beyond, double off_cpu, struct runs_change *out);
/* Returns the chance that runs that do not differ are apart, 0 to 1. */
double runs_chance(size_t n_a, size_t n_b);

/* Write a comparison of d, which has all runs. 0 or -errno (logged). */
int diff_runs_text(const struct diff_runs *d, const struct diff_options *opt, FILE *out);
int diff_runs_csv(const struct diff_runs *d, const struct diff_options *opt, FILE *out);
int diff_runs_json(const struct diff_runs *d, const struct diff_options *opt, FILE *out);

#endif

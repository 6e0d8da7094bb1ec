/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions and paths of two recordings changed: once for text, CSV, JSON and the page. */
#ifndef GOTRACE_DIFF_VERDICT_H
#define GOTRACE_DIFF_VERDICT_H

#include "analysis/diff/trace_diff.h"
#include "analysis/diff/diff_growth.h"

#define DIFF_THRESHOLD_PCT 5 /* where no other was asked for */

/*
 * Calls that differ by this share of A's are a change, and times that differ by this share of A's
 * and by min_ns. With states a time must also differ for sure.
 */
struct diff_bar {
	double threshold_pct;
	/* DIFF_MIN_AUTO: 1 % of how long the longer trace lasted; of RUN 0.1 % of all RUN */
	uint64_t min_ns;
	bool total; /* a change of TOTAL alone counts, too */
};
#define DIFF_MIN_AUTO UINT64_MAX

enum diff_verdict {
	DIFF_NOT_THERE, /* in neither trace */
	DIFF_EQUAL,     /* in calls, total and self */
	DIFF_FOLDED,    /* changed, but not enough to count */
	DIFF_UNSURE,    /* changed enough, but not for sure */
	DIFF_CHANGED
};

struct diff_judge {
	const struct diff *d;
	struct diff_bar bar;
	uint64_t min_ns;         /* the bar's, or what DIFF_MIN_AUTO came to */
	uint64_t min_run_ns;     /* likewise of RUN */
	struct diff_noise noise; /* with states */
	struct growth *growth;   /* see diff_growth_of; NULL: none */
};

/* d must stay where it is. 0 or -ENOMEM (logged); diff_judge_free in either case. */
int diff_judge_begin(struct diff_judge *j, const struct diff *d, const struct diff_bar *bar);
void diff_judge_free(struct diff_judge *j);

enum diff_verdict diff_verdict(const struct diff_judge *j, const struct diff_row *row);
/* With states of METRIC_RUN, METRIC_SELF or METRIC_TOTAL; of samples on both sides of METRIC_RUN.
 */
const struct growth *diff_growth_of(const struct diff_judge *j, const struct diff_row *row,
				    enum diff_metric m);
/* METRIC_RUN or METRIC_SELF changed, and not only the number of calls. */
bool diff_time_changed(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m);
/* With growth: the time that it comes to, of B's calls. */
double diff_grown_ns(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m);
/* B - A in percentage points, where shares are compared. */
double diff_points(const struct diff *d, const struct diff_row *row, enum diff_metric m);
/* A row's time, by call where times are compared so. */
uint64_t diff_time_of(const struct diff_row *row, enum diff_metric m, unsigned s);

#endif

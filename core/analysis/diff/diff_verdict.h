/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which functions and paths of two recordings changed, for text, CSV, JSON and the page. */
#ifndef GOTRACE_DIFF_VERDICT_H
#define GOTRACE_DIFF_VERDICT_H

#include "analysis/diff/trace_diff.h"
#include "analysis/diff/diff_growth.h"

#define DIFF_THRESHOLD_PCT 5 /* default of the threshold */

/*
 * The least difference that is a change. Numbers of calls must differ by this share of A's. Times
 * must differ by this share of A's and by min_ns. With states a time must also differ for sure.
 */
struct diff_bar {
	double threshold_pct;
	/* DIFF_MIN_AUTO: 1 % of the longer trace's length, and for RUN 0.1 % of all RUN */
	uint64_t min_ns;
	bool total; /* a change of TOTAL alone also counts */
};
#define DIFF_MIN_AUTO UINT64_MAX

enum diff_verdict {
	DIFF_NOT_THERE, /* in neither trace */
	DIFF_EQUAL,     /* equal in calls, total and self */
	DIFF_FOLDED,    /* changed, but not enough to count */
	DIFF_UNSURE,    /* changed enough, but not for sure */
	DIFF_CHANGED
};

struct diff_judge {
	const struct diff *d;
	struct diff_bar bar;
	uint64_t min_ns;         /* that of the bar, or the value of DIFF_MIN_AUTO */
	uint64_t min_run_ns;     /* the corresponding number for RUN */
	struct diff_noise noise; /* with states */
	struct growth *growth;   /* see diff_growth_of; may be NULL */
};

/* d must stay where it is. 0 or -ENOMEM (logged); diff_judge_free in either case. */
int diff_judge_begin(struct diff_judge *j, const struct diff *d, const struct diff_bar *bar);
void diff_judge_free(struct diff_judge *j);

enum diff_verdict diff_verdict(const struct diff_judge *j, const struct diff_row *row);
/* Returns the growth of METRIC_RUN, METRIC_SELF or METRIC_TOTAL with states, and of METRIC_RUN with
 * samples on both sides. */
const struct growth *diff_growth_of(const struct diff_judge *j, const struct diff_row *row,
				    enum diff_metric m);
/* Returns whether METRIC_RUN or METRIC_SELF changed, and not only the number of calls. */
bool diff_time_changed(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m);
/* Returns, for a row with growth, the time by which B's calls grew. */
double diff_grown_ns(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m);
/* Returns B - A in percentage points, where shares are compared. */
double diff_points(const struct diff *d, const struct diff_row *row, enum diff_metric m);
/* Returns a row's time, by call where times are compared by call. */
uint64_t diff_time_of(const struct diff_row *row, enum diff_metric m, unsigned s);

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/diff/diff_shares.h"
#include "base/log.h"

static double size_of_change(const struct diff_row *row, enum diff_metric m)
{
	return fabs((double)diff_change(row, m));
}

static bool counts(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m)
{
	const double size = size_of_change(row, m);

	return size > 0 && (m == METRIC_CALLS || size >= (double)j->min_ns) &&
	       size * 100 >= j->bar.threshold_pct * (double)row->value[m][0];
}

double diff_grown_ns(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m)
{
	const double pct = diff_growth_of(j, row, m)->pct;

	if (!isfinite(pct) || !row->there[0] || !row->there[1])
		return size_of_change(row, m);
	double a_ns = (double)row->value[m][0];

	if (diff_row_per_call(row))
		a_ns *= (double)row->value[METRIC_CALLS][1] / (double)row->value[METRIC_CALLS][0];
	return fabs(pct) / 100 * a_ns;
}

/* With states. */
static bool grew(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m,
		 bool *unsure)
{
	const struct growth *g = diff_growth_of(j, row, m);

	if (!isfinite(g->pct) || fabs(g->pct) < j->bar.threshold_pct ||
	    diff_grown_ns(j, row, m) < (double)(m == METRIC_RUN ? j->min_run_ns : j->min_ns) ||
	    g->pct == 0)
		return false;
	if (j->bar.threshold_pct == 0 && j->bar.min_ns == 0) /* all of them are wanted */
		return true;
	*unsure |= !growth_sure(g);
	return growth_sure(g);
}

/* Likewise the number of calls. A function that one side does not have is new or gone. */
static bool called_otherwise(const struct diff_judge *j, const struct diff_row *row, bool *unsure)
{
	const uint64_t *calls = row->value[METRIC_CALLS];
	const bool all = j->bar.threshold_pct == 0 && j->bar.min_ns == 0;

	if (!counts(j, row, METRIC_CALLS))
		return false;
	if (all || row->there[0] != row->there[1] ||
	    growth_of_calls_sure(&j->noise, calls[0], calls[1]))
		return true;
	*unsure = true;
	return false;
}

static enum diff_verdict by_growth(const struct diff_judge *j, const struct diff_row *row)
{
	bool unsure = false;
	const bool run = grew(j, row, METRIC_RUN, &unsure),
		   self = grew(j, row, METRIC_SELF, &unsure),
		   total = j->bar.total && grew(j, row, METRIC_TOTAL, &unsure),
		   calls = called_otherwise(j, row, &unsure);

	return run || self || total || calls ? DIFF_CHANGED : unsure ? DIFF_UNSURE : DIFF_FOLDED;
}

static bool equal(const struct diff_row *row)
{
	return row->there[0] == row->there[1] && !diff_change(row, METRIC_SELF) &&
	       !diff_change(row, METRIC_TOTAL) && !diff_change(row, METRIC_CALLS);
}

/* Total time of calls on all goroutines may be many times that of the program, so shares of it
 * say little where one side has calls: self decides. */
static bool share_differs(const struct diff_judge *j, const struct diff_row *row)
{
	const double points = fabs(diff_points(j->d, row, METRIC_SELF));

	return points > diff_share_chance(j->d, row, METRIC_SELF) &&
	       points * 100 >= j->bar.threshold_pct * diff_share_pct(j->d, row, METRIC_SELF, 0);
}

enum diff_verdict diff_verdict(const struct diff_judge *j, const struct diff_row *row)
{
	bool unsure = false;

	if (!row->there[0] && !row->there[1])
		return DIFF_NOT_THERE;
	if (equal(row))
		return DIFF_EQUAL;
	if (j->d->shares)
		return share_differs(j, row) || (j->d->sampled && grew(j, row, METRIC_RUN, &unsure))
			       ? DIFF_CHANGED
			       : DIFF_FOLDED;
	if (j->d->states)
		return by_growth(j, row);
	return counts(j, row, METRIC_SELF) || counts(j, row, METRIC_TOTAL) ||
			       counts(j, row, METRIC_CALLS)
		       ? DIFF_CHANGED
		       : DIFF_FOLDED;
}

bool diff_time_changed(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m)
{
	bool unsure = false;

	if (!row->there[0] || !row->there[1] || (m == METRIC_RUN && !j->growth))
		return false;
	if (j->d->shares)
		return m == METRIC_RUN ? grew(j, row, m, &unsure) : share_differs(j, row);
	return j->d->states ? grew(j, row, m, &unsure) : counts(j, row, m);
}

static void least_change(struct diff_judge *j)
{
	const uint64_t a = loaded_trace_span_ns(&j->d->side[0]),
		       b = loaded_trace_span_ns(&j->d->side[1]), *run = j->d->all_run_ns;
	const bool given = j->bar.min_ns != DIFF_MIN_AUTO;

	j->min_ns = given ? j->bar.min_ns : (a > b ? a : b) / 100;
	/* how long a recording takes depends on what else the machine does */
	j->min_run_ns = given ? j->bar.min_ns : (run[0] > run[1] ? run[0] : run[1]) / 1000;
}

/* Of a row as heavy as that the least growth that counts is enough time to count. */
static bool heavy(const struct diff_judge *j, const struct diff_row *row, enum diff_metric m)
{
	const uint64_t least_ns = m == METRIC_RUN ? j->min_run_ns : j->min_ns;

	return row->there[0] && row->there[1] &&
	       (double)row->value[m][0] * j->bar.threshold_pct >= 100 * (double)least_ns;
}

/* Each of them could be named by chance. */
static size_t count_tests(const struct diff_judge *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->d->n_rows; i++) {
		const struct diff_row *row = &j->d->rows[i];

		n += heavy(j, row, METRIC_RUN);
		n += heavy(j, row, METRIC_SELF);
		n += j->bar.total && heavy(j, row, METRIC_TOTAL);
		n += row->there[0] && row->there[1] && counts(j, row, METRIC_CALLS);
	}
	return n;
}

static int measure_growth(struct diff_judge *j)
{
	static const enum diff_metric metrics[] = { METRIC_RUN, METRIC_SELF, METRIC_TOTAL };
	const struct diff *d = j->d;
	int err = d->states ? diff_noise_learn(&j->noise, d) : 0;

	if (err)
		return err;
	j->noise.tests = d->states ? count_tests(j) : 0;
	j->growth = calloc(d->n_rows * METRICS + 1, sizeof(*j->growth));
	if (!j->growth) {
		log_no_memory("no memory to compare the traces");
		return -ENOMEM;
	}
	for (size_t i = 0; i < d->n_rows; i++)
		if (d->sampled)
			j->growth[i * METRICS + METRIC_RUN] = diff_growth_sampled(d, &d->rows[i]);
	for (size_t i = 0; i < d->n_rows; i++)
		for (size_t m = 0; d->states && m < 3; m++)
			j->growth[i * METRICS + metrics[m]] = diff_growth(d, &j->noise, &d->rows[i],
									  metrics[m]);
	return 0;
}

int diff_judge_begin(struct diff_judge *j, const struct diff *d, const struct diff_bar *bar)
{
	*j = (struct diff_judge){ .d = d, .bar = *bar };
	least_change(j);
	return d->states || d->sampled ? measure_growth(j) : 0;
}

void diff_judge_free(struct diff_judge *j)
{
	free(j->growth);
}

const struct growth *diff_growth_of(const struct diff_judge *j, const struct diff_row *row,
				    enum diff_metric m)
{
	return &j->growth[row->key * METRICS + m];
}

double diff_points(const struct diff *d, const struct diff_row *row, enum diff_metric m)
{
	return diff_share_pct(d, row, m, 1) - diff_share_pct(d, row, m, 0);
}

uint64_t diff_time_of(const struct diff_row *row, enum diff_metric m, unsigned s)
{
	return row->by_call && diff_row_per_call(row)
		       ? row->value[m][s] / row->value[METRIC_CALLS][s]
		       : row->value[m][s];
}

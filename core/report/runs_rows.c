// SPDX-License-Identifier: BSD-2-Clause
#include "report/runs_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/log.h"
#include "analysis/diff/diff_growth.h"

bool runs_have_spread(const struct comparing *x, enum diff_metric m)
{
	return m == METRIC_RUN || (x->d->states && m != METRIC_CALLS);
}

static bool counts(const struct comparing *x, const struct runs_change *c, enum diff_metric m,
		   double least)
{
	double size = fabs(c->median[1] - c->median[0]);

	if (runs_have_spread(x, m) && isfinite(c->pct))
		size = fabs(c->pct) / 100 * c->median[0];
	return c->apart && (m == METRIC_CALLS || size >= least) &&
	       size * 100 >= x->opt->threshold_pct * c->median[0];
}

static int by_size(const void *x, const void *y, void *ctx)
{
	const struct changed *a = x, *b = y;
	const struct comparing *of = ctx;
	const double size_a = fabs(a->c.median[1] - a->c.median[0]),
		     size_b = fabs(b->c.median[1] - b->c.median[0]);

	if (of->opt->sort != DIFF_NAME && size_a != size_b)
		return size_a < size_b ? 1 : -1;
	return strcmp(a->row->name, b->row->name);
}

/* Of each run, and how far off each may be; by call where not all runs have the same number of
 * them. */
static void values_of(const struct comparing *x, const struct run_row *row, enum diff_metric m,
		      double *const v[2], double *const off[2])
{
	const struct diff_runs *d = x->d;
	const double *first = row->value[METRIC_CALLS][0];
	bool by_call = false, all = true;

	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < d->n_runs[s]; i++) {
			const double calls = row->value[METRIC_CALLS][s][i];

			v[s][i] = row->value[m][s][i];
			off[s][i] = row->value[RUN_UNCERTAINTY][s][i];
			if (d->states && m == METRIC_SELF)
				v[s][i] -= row->value[RUN_SELF_OFF][s][i];
			else if (d->states && m == METRIC_TOTAL)
				v[s][i] -= fmin(v[s][i], row->value[RUN_TOTAL_OFF][s][i]);
			else if (d->by_second && m == METRIC_RUN)
				v[s][i] *= d->wall_ns[s][i] > 0 ? 1e9 / d->wall_ns[s][i] : 0;
			by_call |= calls != *first;
			all &= calls > 0;
		}
	for (unsigned s = 0; d->states && m != METRIC_CALLS && by_call && all && s < 2; s++)
		for (size_t i = 0; i < d->n_runs[s]; i++) {
			v[s][i] /= row->value[METRIC_CALLS][s][i];
			off[s][i] /= row->value[METRIC_CALLS][s][i];
		}
}

/* So few samples are a matter of chance themselves, whatever runs differ by. */
static void count_chance(const struct comparing *x, const struct run_row *row,
			 struct runs_change *c)
{
	double n[2] = { 0.5, 0.5 }, by_run[2]; /* as none may be one */

	for (unsigned s = 0; s < 2; s++) {
		for (size_t i = 0; i < x->d->n_runs[s]; i++)
			n[s] += row->value[RUN_COUNT][s][i];
		by_run[s] = n[s] / (double)x->d->n_runs[s];
	}
	const struct growth g = growth_of(log(by_run[1] / by_run[0]), sqrt(1 / n[0] + 1 / n[1]),
					  1e6, x->beyond, 0);

	c->apart &= growth_sure(&g);
	c->low = fmin(c->low, g.low);
	c->high = fmax(c->high, g.high);
}

static int measure(const struct comparing *x, const struct run_row *row, enum diff_metric m,
		   struct runs_change *c)
{
	const size_t *n = x->d->n_runs;
	const size_t both = n[0] + n[1];
	double *room = calloc(2 * both, sizeof(*room)), *const v[2] = { room, room + n[0] },
	       *const off[2] = { room + both, room + both + n[0] };
	struct runs_sides sides = { .v = { v[0], v[1] },
				    .off = { off[0], off[1] },
				    .n = { n[0], n[1] } };
	int err = room ? 0 : -ENOMEM;

	for (unsigned s = 0; s < 2 && m == METRIC_RUN; s++) {
		sides.low[s] = row->value[RUN_LOW][s];
		sides.drift[s] = &x->drift[s];
	}
	if (!err) {
		values_of(x, row, m, v, off);
		err = runs_have_spread(x, m) ? runs_grow(&sides, x->beyond, x->d->off_cpu, c)
					     : runs_compare(v[0], n[0], v[1], n[1], c);
	}
	if (!err && x->d->samples && m == METRIC_RUN)
		count_chance(x, row, c);
	free(room);
	return err;
}

static double least_of(const struct comparing *x, enum diff_metric m)
{
	const struct diff_runs *d = x->d;

	if (d->samples && (m != METRIC_RUN || d->by_second)) /* points, or of a second */
		return 0;
	if (x->opt->min_ns != DIFF_MIN_AUTO)
		return (double)x->opt->min_ns;
	return m == METRIC_RUN ? d->most_run_ns / 1000 : (double)d->longest_ns / 100;
}

/* In such a row the least growth that counts as one is enough time. */
static bool heavy(const struct comparing *x, const struct run_row *row)
{
	double most = 0;

	for (size_t k = 0; k < x->d->n_runs[0]; k++)
		most = fmax(most, row->value[METRIC_RUN][0][k]);
	return row->there[1] && most > 0 &&
	       most * x->opt->threshold_pct >= 100 * least_of(x, METRIC_RUN);
}

/* In 19 of 20 comparisons all intervals of heavy rows hold. */
static double beyond_of(const struct comparing *x)
{
	double n = 0;

	for (size_t i = 0; i < x->d->n; i++)
		n += heavy(x, &x->d->rows[i]);
	return 0.025 / fmax(n, 1);
}

/* The logarithms of v; false: one is 0 or none. */
static bool put_logs(const struct diff_runs *d, const double *const v[2], double *logs)
{
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < d->n_runs[s]; i++) {
			if (!(v[s][i] > 0))
				return false;
			*logs++ = log(v[s][i]);
		}
	return true;
}

/* low: of calls that ran shortest. 0 or -ENOMEM */
static int learn_drift(struct comparing *x, bool low)
{
	const struct diff_runs *d = x->d;
	const size_t runs = d->n_runs[0] + d->n_runs[1];
	double *logs = malloc((d->n + 1) * runs * sizeof(*logs)),
	       *room = malloc(2 * runs * sizeof(*room));
	size_t n = 0;
	int err = logs && room ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < d->n; i++) {
		const struct run_row *row = &d->rows[i];
		double *const v[2] = { room, room + d->n_runs[0] }, *const off[2] = {
			room + runs, room + runs + d->n_runs[0]
		};

		values_of(x, row, METRIC_RUN, v, off);
		n += heavy(x, row) && put_logs(d,
					       low ? (const double *[]){ row->value[RUN_LOW][0],
									 row->value[RUN_LOW][1] }
						   : (const double *[]){ v[0], v[1] },
					       logs + n * runs);
	}
	if (!err)
		err = runs_drift_learn(&x->drift[low], logs, n, d->n_runs);
	free(logs);
	free(room);
	return err;
}

static enum diff_metric metric_of(const struct diff_runs *d, enum diff_sort sort)
{
	const bool run = d->states || d->samples;

	switch (sort) {
	case DIFF_SELF:
		return METRIC_SELF;
	case DIFF_TOTAL:
		return METRIC_TOTAL;
	case DIFF_CALLS:
		return METRIC_CALLS;
	default:
		return run ? METRIC_RUN : METRIC_SELF;
	}
}

/* By how much RUN may grow. */
static int hold_to(struct comparing *x, const struct run_row *row)
{
	struct diff_limit *limit = x->opt->limit_of_run;
	struct runs_change c;

	if (limit->functions && !glob_match(limit->functions, row->name))
		return 0;
	int err = measure(x, row, METRIC_RUN, &c);

	if (!err && row->there[0] && row->there[1] && isfinite(c.pct) && c.low > limit->pct) {
		limit->n_over++;
		log_info("RUN of %s grew by %.1f%% (%.1f%% to %.1f%%), --fail-if '%s'", row->name,
			 c.pct, c.low, c.high, limit->as_given);
	}
	return err;
}

static int compare_row(struct comparing *x, const struct run_row *row)
{
	struct changed now = { .row = row };
	struct runs_change self;
	int err = measure(x, row, x->metric, &now.c);

	if (!err && x->opt->limit_of_run)
		err = hold_to(x, row);
	if (err)
		return err;
	if (counts(x, &now.c, x->metric, x->least)) {
		x->all[x->n++] = now;
		return 0;
	}
	x->n_folded++;
	if (x->metric != METRIC_RUN || x->d->samples)
		return 0;
	err = measure(x, row, METRIC_SELF, &self);
	x->n_self += !err && counts(x, &self, METRIC_SELF, least_of(x, METRIC_SELF));
	return err;
}

int runs_compare_all(struct comparing *x, const struct diff_runs *d, const struct diff_options *opt)
{
	*x = (struct comparing){ .d = d, .opt = opt, .metric = metric_of(d, opt->sort) };
	if (opt->limit_of_run && !d->states && !d->samples) {
		log_error(
			"--fail-if compares RUN, which needs states in all runs; record without --no-states");
		return -ENOTSUP;
	}
	x->least = least_of(x, x->metric);
	x->beyond = beyond_of(x);
	x->all = calloc(d->n + 1, sizeof(*x->all));
	int err = x->all ? runs_compare(d->wall_ns[0], d->n_runs[0], d->wall_ns[1], d->n_runs[1],
					&x->wall)
			 : -ENOMEM;

	for (unsigned low = 0; low < 2 && !err; low++)
		err = learn_drift(x, low);
	for (size_t i = 0; i < d->n && !err; i++)
		err = compare_row(x, &d->rows[i]);
	for (unsigned low = 0; low < 2; low++)
		runs_drift_free(&x->drift[low]);
	if (err) {
		log_no_memory("no memory to compare the runs");
		free(x->all);
		return err;
	}
	if (x->n)
		qsort_r(x->all, x->n, sizeof(*x->all), by_size, x);
	if (opt->limit && x->n > opt->limit) {
		x->n_hidden = x->n - opt->limit;
		x->n = opt->limit;
	}
	return 0;
}

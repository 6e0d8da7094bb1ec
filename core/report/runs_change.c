// SPDX-License-Identifier: BSD-2-Clause
/* One function, or the whole program, in all runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/diff/diff_growth.h"
#include "report/diff_runs_text.h"
#include "stats/beta.h"
#include "stats/interval.h"

#define RESAMPLES 2000
#define SEED      1

double runs_chance(size_t n_a, size_t n_b)
{
	double orders = 1;

	for (size_t i = 1; i <= n_a; i++)
		orders *= (double)(n_b + i) / (double)i;
	return fmin(2 / orders, 1);
}

static double median_of_drawn(const double *v, size_t n, double *room, struct random_stream *d)
{
	for (size_t i = 0; i < n; i++)
		room[i] = v[random_below(d, n)];
	return interval_median(room, n);
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double change_pct(double a, double b)
{
	return a > 0 ? 100 * (b - a) / a : b > 0 ? INFINITY : 0;
}

/* Runs of both sides drawn anew. */
static int bootstrap(const double *a, size_t n_a, const double *b, size_t n_b,
		     struct runs_change *out)
{
	struct random_stream d = random_from(SEED, NULL);
	double *pct = malloc(RESAMPLES * sizeof(*pct)), *room = malloc((n_a + n_b) * sizeof(*room));

	for (size_t i = 0; pct && room && i < RESAMPLES; i++) {
		const double x = median_of_drawn(a, n_a, room, &d);

		pct[i] = change_pct(x, median_of_drawn(b, n_b, room, &d));
	}
	const bool made = pct && room;

	if (made) {
		qsort(pct, RESAMPLES, sizeof(*pct), by_value);
		out->low = pct[RESAMPLES / 40];
		out->high = pct[RESAMPLES - 1 - RESAMPLES / 40];
	}
	free(pct);
	free(room);
	return made ? 0 : -ENOMEM;
}

int runs_compare(double *a, size_t n_a, double *b, size_t n_b, struct runs_change *out)
{
	out->median[0] = interval_median(a, n_a);
	out->median[1] = interval_median(b, n_b);
	out->pct = out->median[0] > 0 ? change_pct(out->median[0], out->median[1]) : NAN;
	out->apart = a[n_a - 1] < b[0] || b[n_b - 1] < a[0];
	out->low = change_pct(a[n_a - 1], b[0]);
	out->high = change_pct(a[0], b[n_b - 1]);
	return n_a >= INTERVAL_LEAST && n_b >= INTERVAL_LEAST ? bootstrap(a, n_a, b, n_b, out) : 0;
}

static double log_without(const double *v, const double *drift, size_t i)
{
	return log(v[i]) - (drift ? drift[i] : 0);
}

/* The mean of logarithms less the drift of each, which may be NULL. Their squares' distance from it
 * is added to *squares. */
static double mean_log(const double *v, const double *drift, size_t n, double *squares)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log_without(v, drift, i);
	for (size_t i = 0; i < n; i++)
		*squares += pow(log_without(v, drift, i) - sum / (double)n, 2);
	return sum / (double)n;
}

static bool any_spread(const double *const v[2], const size_t n[2])
{
	if (n[0] + n[1] < 3 || !v[0] || !v[1])
		return false;
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < n[s]; i++)
			if (!(v[s][i] > 0))
				return false;
	return true;
}

/* Student's, of logarithms, as both sides spread alike. With a drift it is of what the function
 * grew by more than most. False: a value is none, or 0. */
static bool spread_growth(const double *const v[2], const size_t n[2],
			  const struct runs_drift *drift, double beyond, double slack,
			  struct growth *g)
{
	double squares = 0, freedom = (double)(n[0] + n[1]) - 2, mean[2];

	if (!any_spread(v, n))
		return false;
	for (unsigned s = 0; s < 2; s++)
		mean[s] = mean_log(v[s], drift ? drift->of_run[s] : NULL, n[s], &squares);
	const double own = squares / freedom,
		     square = drift ? variances_moderated(&drift->prior, own, &freedom) : own,
		     error = sqrt(square * (1 / (double)n[0] + 1 / (double)n[1]));

	*g = growth_of(mean[1] - mean[0], error, freedom, beyond, slack);
	return true;
}

static double log_of(const struct growth *g)
{
	return log1p(g->pct / 100);
}

/* Each run has more than it may be off by; or what one side may have is more than what the other
 * may. */
static bool apart_as_stated(const struct runs_sides *x)
{
	double least[2] = { INFINITY, INFINITY }, most[2] = { 0, 0 };
	bool doubtful = false;

	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; x->off[0] && i < x->n[s]; i++) {
			least[s] = fmin(least[s], x->v[s][i] - x->off[s][i]);
			most[s] = fmax(most[s], x->v[s][i] + x->off[s][i]);
			doubtful |= x->off[s][i] > 0 && x->v[s][i] <= x->off[s][i];
		}
	return !doubtful || most[0] < least[1] || most[1] < least[0];
}

/* Cuts g to the part that is also in the other interval, unless they contradict each other. */
static void meet_if_together(struct growth *g, const struct growth *other)
{
	if (other->low <= g->high && g->low <= other->high)
		growth_meet(g, other);
}

static bool any_drift(const struct runs_sides *x, unsigned of)
{
	return x->drift[of] && x->drift[of]->n >= VARIANCES_LEAST;
}

/* The intervals of times and of lows. Each may miss by its part of the chance. */
static bool intervals(const struct runs_sides *x, double beyond, double off_cpu, struct growth *g)
{
	const double *const times[2] = { x->v[0], x->v[1] }, *const * v[2] = { times, x->low };
	const bool lows = any_spread(v[1], x->n);
	const double part = beyond / (1. + lows + any_drift(x, 0) + (lows && any_drift(x, 1)));
	struct growth low, more;

	if (!spread_growth(v[0], x->n, NULL, part, 0, g))
		return false;
	if (lows) {
		spread_growth(v[1], x->n, NULL, part, 0, &low);
		const double off = fmin(fabs(log_of(g) - log_of(&low)), log(fmax(off_cpu, 1)));

		spread_growth(v[0], x->n, NULL, part, off, g);
		/* Both are of one growth, unless calls of different kinds changed differently. */
		meet_if_together(g, &low);
	}
	for (unsigned of = 0; of < 1u + lows; of++)
		if (any_drift(x, of)) {
			spread_growth(v[of], x->n, x->drift[of], part, 0, &more);
			meet_if_together(g, &more);
		}
	return true;
}

int runs_grow(struct runs_sides *x, double beyond, double off_cpu, struct runs_change *out)
{
	const bool stated = apart_as_stated(x);
	struct growth g;
	const bool grown = intervals(x, beyond, off_cpu, &g);
	const int err = runs_compare(x->v[0], x->n[0], x->v[1], x->n[1], out);

	out->apart &= stated;
	if (err || !grown)
		return err;
	out->pct = g.pct;
	out->low = g.low;
	out->high = g.high;
	out->apart = stated && growth_sure(&g);
	return 0;
}

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

/* The mean of logarithms, and their squares' distance from it. */
static double mean_log(const double *v, size_t n, double *squares)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(v[i]);
	for (size_t i = 0; i < n; i++)
		*squares += pow(log(v[i]) - sum / (double)n, 2);
	return sum / (double)n;
}

/* Student's, of logarithms, as both sides spread alike. False: a value is none, or 0. */
static bool spread_growth(const double *const v[2], const size_t n[2], double beyond, double slack,
			  struct growth *g)
{
	const double freedom = (double)(n[0] + n[1]) - 2;
	double squares = 0;

	if (freedom < 1 || !v[0] || !v[1])
		return false;
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < n[s]; i++)
			if (!(v[s][i] > 0))
				return false;
	const double from = mean_log(v[0], n[0], &squares), to = mean_log(v[1], n[1], &squares),
		     error = sqrt(squares / freedom * (1 / (double)n[0] + 1 / (double)n[1]));

	*g = growth_of(to - from, error, freedom, beyond, slack);
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

int runs_grow(struct runs_sides *x, double beyond, double off_cpu, struct runs_change *out)
{
	const double *const v[2] = { x->v[0], x->v[1] };
	const bool stated = apart_as_stated(x);
	struct growth g, low;
	const bool grown = spread_growth(v, x->n, beyond, 0, &g),
		   both = grown && spread_growth(x->low, x->n, beyond, 0, &low);

	if (both) {
		const double off = fmin(fabs(log_of(&g) - log_of(&low)), log(fmax(off_cpu, 1)));

		spread_growth(v, x->n, beyond, off, &g);
	}
	const int err = runs_compare(x->v[0], x->n[0], x->v[1], x->n[1], out);

	out->apart &= stated;
	if (err || !grown)
		return err;
	/* Both are of one growth, unless calls of different kinds changed differently. */
	if (both && low.low <= g.high && g.low <= low.high)
		growth_meet(&g, &low);
	out->pct = g.pct;
	out->low = g.low;
	out->high = g.high;
	out->apart = stated && growth_sure(&g);
	return 0;
}

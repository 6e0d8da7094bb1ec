// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_growth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "stats/beta.h"
#include "stats/interval.h"

#define BEYOND         0.025  /* the chance on each side of an interval */
#define BEYOND_SAMPLED 0.0005 /* as that of shares */
#define MANY           1e6    /* degrees of freedom: a normal distribution */
/* Median of distances from the median to a deviation, of a normal distribution. */
#define DEVIATION_OF_MAD 1.4826
/* Where only a recording's own stretches tell an error: there are up to 32 of them. */
#define FREEDOM_OF_STRETCHES 15
/* Of calls that ran shortest: as a logarithm. Those that differ by more were all disturbed, or have
 * different work, and what they took in one recording says nothing of another. */
#define FLOOR_AGREES 0.05

/* ---- one function */

/* A logarithm with its error: of B over A. */
struct estimate {
	double log, error; /* NAN: not known */
	/* By how much the machine may have disturbed one side more than the other: a logarithm.
	 * INFINITY: calls do not tell. */
	double disturbed;
};

static const enum call_part part_of[METRICS] = {
	[METRIC_SELF] = CALL_SELF, [METRIC_TOTAL] = CALL_TOTAL, [METRIC_RUN] = CALL_RUN
};

static double per_call(const struct diff_row *row, enum diff_metric m, unsigned s)
{
	const double v = (double)row->value[m][s];

	return diff_row_per_call(row) ? v / (double)row->value[METRIC_CALLS][s] : v;
}

/* A path has a part of its function's calls: the fewer, the less sure. */
static double of_path(const struct diff_row *row, unsigned s, double error)
{
	const uint64_t calls = row->value[METRIC_CALLS][s];

	return calls && calls < row->func_calls[s]
		       ? error * sqrt((double)row->func_calls[s] / (double)calls)
		       : error;
}

static double of_run(const struct diff_row *row, unsigned s, uint64_t ns)
{
	return row->value[METRIC_RUN][s] ? (double)ns / 2 / (double)row->value[METRIC_RUN][s] : 0;
}

/* The square of the error that both recordings state of RUN, relative, one deviation. A bias is in
 * both, so only its difference counts. */
static double stated(const struct diff_row *row)
{
	const double a = of_run(row, 0, row->chance_ns[0]), b = of_run(row, 1, row->chance_ns[1]),
		     apart = of_run(row, 1, row->bias_ns[1]) - of_run(row, 0, row->bias_ns[0]);

	return a * a + b * b + apart * apart;
}

/* What disturbs a function is in the time that its calls take above those that ran shortest: in
 * another recording there may be none of it. */
static double above_low(const struct call_series *x, enum call_part part)
{
	return fmax(0, log(call_series_mean(x, part) / call_series_low(x, part))); /* NAN is none */
}

static struct estimate mean_of(const struct diff_row *row, enum diff_metric m)
{
	struct estimate e = { .log = log(per_call(row, m, 1) / per_call(row, m, 0)) };
	double square = stated(row);

	for (unsigned s = 0; s < 2; s++) {
		double error = NAN;

		if (row->series[s]) {
			error = call_series_error(row->series[s], part_of[m]);
			e.disturbed = fmax(e.disturbed, above_low(row->series[s], part_of[m]));
		} else if (row->func[s]) {
			error = call_series_error_of_hist(&row->func[s]->hist);
		}
		if (!isfinite(error)) {
			e.disturbed = INFINITY;
			error = 0;
		}
		error = of_path(row, s, error);
		square += error * error;
	}
	e.error = sqrt(square);
	return e;
}

/* The same of calls that ran shortest, without what probes cost in the mean. */
static struct estimate low_of(const struct diff_row *row, enum diff_metric m)
{
	struct estimate e = { NAN, NAN, 0 };
	double low[2] = { NAN, NAN }, square = stated(row);

	for (unsigned s = 0; s < 2; s++) {
		const struct call_series *x = row->series[s];
		double error;

		if (!x || !row->value[METRIC_CALLS][s])
			return e;
		low[s] = call_series_low(x, part_of[m]) -
			 (double)row->probe_ns[s] / (double)row->value[METRIC_CALLS][s];
		e.disturbed = fmax(e.disturbed, log(call_series_low(x, part_of[m]) /
						    call_series_floor(x, part_of[m])));
		error = of_path(row, s, call_series_low_error(x, part_of[m]));
		square += error * error;
	}
	if (low[0] > 0 && low[1] > 0)
		e = (struct estimate){ log(low[1] / low[0]), sqrt(square), e.disturbed };
	return e;
}

/* ---- all functions */

/* Of n logarithms; square: the median of their errors' squares. */
static struct diff_drift drift_of(double *logs, double *squares, size_t n)
{
	struct diff_drift d = { .n = n };

	if (n < GROWTH_DRIFT_LEAST)
		return d;
	d.common = interval_median(logs, n);
	for (size_t i = 0; i < n; i++)
		logs[i] = fabs(logs[i] - d.common);

	const double spread = DEVIATION_OF_MAD * interval_median(logs, n),
		     more = spread * spread - interval_median(squares, n);

	d.spread = more > 0 ? sqrt(more) : 0;
	return d;
}

static struct diff_drift learn(const struct diff *d, enum diff_metric m,
			       struct estimate (*estimate)(const struct diff_row *,
							   enum diff_metric),
			       double *logs, double *squares)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct estimate e = estimate(&d->rows[i], m);

		if (!isfinite(e.log) || !isfinite(e.error) || !isfinite(e.disturbed))
			continue;
		logs[n] = e.log;
		squares[n++] = e.error * e.error;
	}
	return drift_of(logs, squares, n);
}

int diff_noise_learn(struct diff_noise *n, const struct diff *d)
{
	static const enum diff_metric metrics[] = { METRIC_RUN, METRIC_SELF, METRIC_TOTAL };
	double *logs = malloc((d->n_rows + 1) * sizeof(*logs)),
	       *squares = malloc((d->n_rows + 1) * sizeof(*squares));
	const bool made = logs && squares;

	*n = (struct diff_noise){ 0 };
	for (size_t i = 0; made && i < 3; i++) {
		const enum diff_metric m = metrics[i];

		n->mean[part_of[m]] = learn(d, m, mean_of, logs, squares);
		n->low[part_of[m]] = learn(d, m, low_of, logs, squares);
	}
	free(logs);
	free(squares);
	if (!made)
		log_no_memory("no memory to compare the traces");
	return made ? 0 : -ENOMEM;
}

/* ---- intervals */

static double percent(double log)
{
	return 100 * expm1(log);
}

struct growth growth_of(double log, double error, double freedom, double beyond, double slack)
{
	const double most = student_beyond(beyond, freedom) * error + slack;

	return (struct growth){ percent(log), percent(log - most), percent(log + most) };
}

/* The chance that is left for one of `intervals` on each side, so that all hold (Bonferroni). */
static double beyond(const struct diff_noise *n, unsigned intervals)
{
	return BEYOND / (double)(n->tests ? n->tests : 1) / intervals;
}

bool growth_of_calls_sure(const struct diff_noise *n, uint64_t a, uint64_t b)
{
	/* Of Poisson numbers, whose roots have the deviation of a half wherever they are. */
	return fabs(sqrt((double)a) - sqrt((double)b)) >
	       student_beyond(beyond(n, 1), MANY) * M_SQRT1_2;
}

bool growth_sure(const struct growth *g)
{
	return g->low > 0 || g->high < 0;
}

void growth_meet(struct growth *g, const struct growth *other)
{
	if (other->high - other->low < g->high - g->low)
		g->pct = other->pct;
	g->low = fmax(g->low, other->low);
	g->high = fmin(g->high, other->high);
}

/* With and without what most functions grew by. Calls that ran shortest differ between runs, too,
 * so a function's own calls do not bound the spread. */
static struct growth drifted(const struct estimate *e, const struct diff_drift *d, double chance,
			     double slack)
{
	const bool told = d->n >= GROWTH_DRIFT_LEAST;
	const double error = told ? hypot(e->error, d->spread) : e->error,
		     freedom = told ? (double)(d->n - 1) : FREEDOM_OF_STRETCHES;
	struct growth g = growth_of(e->log, error, freedom, chance, slack);
	const struct growth alone = growth_of(e->log - d->common, error, freedom, chance, slack);

	g.low = fmin(g.low, alone.low);
	g.high = fmax(g.high, alone.high);
	return g;
}

/* The part of SELF or TOTAL in which it did not run is as long as the scheduler makes it. */
static double waiting(const struct diff_row *row, enum diff_metric m)
{
	double most = 0;

	if (m == METRIC_RUN)
		return 0;
	for (unsigned s = 0; s < 2; s++) {
		const uint64_t all = row->value[m][s], run = m == METRIC_TOTAL
								     ? row->total_run_ns[s]
								     : row->value[METRIC_RUN][s];

		if (all > run)
			most = fmax(most, 1 - (double)run / (double)all);
	}
	return most;
}

/* Who waits does so for as much longer as who ends that has no processor; few calls do not tell how
 * often. */
static void wait_longer(const struct diff *d, const struct diff_row *row, enum diff_metric m,
			struct growth *g)
{
	const uint64_t *off_ns = (uint64_t[]){ d->calls[0].longest_off_ns,
					       d->calls[1].longest_off_ns };
	const double more = 100 * (double)(off_ns[0] > off_ns[1] ? off_ns[0] : off_ns[1]) *
			    (double)row->value[METRIC_CALLS][0] / (double)row->value[m][0];

	g->low -= more;
	g->high += more;
}

/* B has nothing left: at most what it may be off by. A may have had so much less, too. Per cent of
 * A's growth. */
static double up_to_stated(const struct diff_row *row, enum diff_metric m)
{
	double off_ns[2];

	for (unsigned s = 0; s < 2; s++)
		off_ns[s] = (double)row->uncertainty_ns[s] /
			    (diff_row_per_call(row) ? (double)row->value[METRIC_CALLS][s] : 1);
	const double least_ns = per_call(row, m, 0) - off_ns[0];

	return least_ns > 0 ? 100 * (off_ns[1] / least_ns - 1) : INFINITY;
}

struct growth diff_growth(const struct diff *d, const struct diff_noise *n,
			  const struct diff_row *row, enum diff_metric m)
{
	const struct diff_drift *mean = &n->mean[part_of[m]], *low = &n->low[part_of[m]];
	const double all = log(fmax(d->stretch[0].all, d->stretch[1].all)),
		     off = log(fmax(d->stretch[0].off_cpu, d->stretch[1].off_cpu));
	struct estimate e = mean_of(row, m), short_ones = low_of(row, m);
	double slack = waiting(row, m) * all + fmin(e.disturbed, off);

	if (!row->value[m][0] || !row->there[1])
		return (struct growth){ NAN, NAN, NAN };
	if (!row->value[m][1])
		return (struct growth){ -100, -100, up_to_stated(row, m) };
	/* No other functions tell how much they differ: as much as the machine was busy. */
	if (mean->n < GROWTH_DRIFT_LEAST)
		slack = fmax(slack, off);
	const bool both = m == METRIC_RUN && isfinite(short_ones.log) &&
			  isfinite(short_ones.error) && short_ones.disturbed <= FLOOR_AGREES;
	const double chance = beyond(n, both ? 2 : 1);
	struct growth g = drifted(&e, mean, chance, slack);

	if (!isfinite(e.disturbed) && m != METRIC_RUN)
		wait_longer(d, row, m, &g);
	if (!both)
		return g;
	const struct growth h = drifted(&short_ones, low, chance, fmin(short_ones.disturbed, off));

	/* Both are of one growth, unless calls of different kinds changed differently. */
	if (h.low > g.high || h.high < g.low)
		return g;
	growth_meet(&g, &h);
	return g;
}

struct growth diff_growth_sampled(const struct diff *d, const struct diff_row *row)
{
	const uint64_t *run = row->value[METRIC_RUN], *n = row->value[METRIC_CALLS];

	if (!run[0] || !n[0] || !row->there[1] || d->seconds[0] <= 0 || d->seconds[1] <= 0)
		return (struct growth){ NAN, NAN, NAN };
	if (!run[1] || !n[1])
		return (struct growth){ -100, -100, INFINITY };
	return growth_of(log((double)run[1] / d->seconds[1] / ((double)run[0] / d->seconds[0])),
			 sqrt(1 / (double)n[0] + 1 / (double)n[1]), MANY, BEYOND_SAMPLED, 0);
}

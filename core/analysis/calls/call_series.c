// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/call_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define STRETCHES     32u
#define LOW_STRETCHES 16u
#define LOW           0.1
#define LOW_CALLS     10u /* in a stretch at least: one of them is at a tenth */

/* ---- which calls are drawn */

/* Not each 2^k-th: programs have such rhythms. The same ones in each run. */
static bool drawn(uint64_t number, unsigned bits)
{
	number *= 0x9e3779b97f4a7c15ull;
	return !((uint32_t)(number ^ number >> 32) & ((1u << bits) - 1));
}

static void thin_out(struct call_series *s)
{
	size_t n = 0;

	s->one_in_bits++;
	for (size_t i = 0; i < s->n; i++)
		if (drawn(s->calls[i].number, s->one_in_bits))
			s->calls[n++] = s->calls[i];
	s->n = n;
}

int call_series_add(struct call_series *s, const uint64_t ns[CALL_PARTS])
{
	const uint64_t number = s->finished++;

	s->sum_total_ns += ns[CALL_TOTAL];
	if (hist_add(&s->total, ns[CALL_TOTAL]))
		return -ENOMEM;
	if (!drawn(number, s->one_in_bits))
		return 0;
	while (s->n == CALL_SERIES_MOST && s->one_in_bits < 31)
		thin_out(s);
	if (!drawn(number, s->one_in_bits))
		return 0;
	if (vec_reserve(&s->calls, &s->cap, s->n + 1))
		return -ENOMEM;
	struct drawn_call *c = &s->calls[s->n++];

	c->number = number;
	memcpy(c->ns, ns, sizeof(c->ns));
	return 0;
}

void call_series_free(struct call_series *s)
{
	hist_free(&s->total);
	free(s->calls);
	*s = (struct call_series){ 0 };
}

/* ---- of a whole trace */

static struct call_series *series_of(struct calls_of_all *all, size_t func)
{
	if (func >= all->n) {
		const size_t n = func + func / 2 + 64;
		struct call_series *of = realloc(all->of, n * sizeof(*of));

		if (!of)
			return NULL;
		memset(of + all->n, 0, (n - all->n) * sizeof(*of));
		all->of = of;
		all->n = n;
	}
	return &all->of[func];
}

static uint64_t less(uint64_t ns, uint64_t by)
{
	return ns > by ? ns - by : 0;
}

static void on_call(void *ctx, const struct call *c)
{
	struct calls_of_all *all = ctx;
	const struct off_times none = { 0 };
	const struct off_times *self = c->states ? &c->states->self : &none,
			       *total = c->states ? &c->states->total : &none;

	if (c->suspect || c->system || (c->end != CALL_FINISHED && c->end != CALL_TAIL) ||
	    all->watch.err)
		return;
	struct call_series *s = series_of(all, c->func);
	const uint64_t off_ns = self->off_cpu_ns + self->runnable_ns;
	const uint64_t ns[CALL_PARTS] = {
		[CALL_RUN] = less(c->self_ns, off_times_sum(self)),
		[CALL_SELF] = less(c->self_ns, self->off_cpu_ns),
		[CALL_TOTAL] = less(c->end_ns - c->start_ns, total->off_cpu_ns),
	};

	if (off_ns > all->longest_off_ns)
		all->longest_off_ns = off_ns;
	if (!s || call_series_add(s, ns))
		all->watch.err = -ENOMEM;
}

void calls_of_all_begin(struct calls_of_all *all)
{
	*all = (struct calls_of_all){ .watch = { .calls = CALLS_NONE_WILL_DO,
						 .on_call = on_call } };
	all->watch.ctx = all;
}

void calls_of_all_free(struct calls_of_all *all)
{
	for (size_t i = 0; i < all->n; i++)
		call_series_free(&all->of[i]);
	free(all->of);
	all->of = NULL;
	all->n = 0;
}

const struct call_series *calls_of_func(const struct calls_of_all *all, size_t func)
{
	return func < all->n && all->of[func].finished ? &all->of[func] : NULL;
}

/* ---- how sure they are */

/* The relative standard error of the mean of v. */
static double error_of(const double *v, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	const double mean = sum / (double)n;

	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return mean > 0 ? sqrt(squares / (double)(n - 1) / (double)n) / mean : NAN;
}

static double find_mean(const struct call_series *s, enum call_part part)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += (double)s->calls[i].ns[part];
	return sum / (double)s->n;
}

static double find_error(const struct call_series *s, enum call_part part)
{
	const size_t n = s->n < STRETCHES ? s->n : STRETCHES;
	double mean[STRETCHES];

	if (s->n < CALL_SERIES_LEAST)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		const size_t from = s->n * i / n, to = s->n * (i + 1) / n;
		double sum = 0;

		for (size_t c = from; c < to; c++)
			sum += (double)s->calls[c].ns[part];
		mean[i] = sum / (double)(to - from);
	}
	return error_of(mean, n);
}

double call_series_error_of_hist(const struct hist *h)
{
	enum { QUANTILES = 200 };
	double v[QUANTILES];

	if (h->count < CALL_SERIES_LEAST)
		return NAN;
	for (unsigned i = 0; i < QUANTILES; i++)
		v[i] = (double)hist_quantile(h, (i + 0.5) / QUANTILES);
	return error_of(v, QUANTILES) * sqrt((double)QUANTILES / (double)h->count);
}

static int by_value(const void *x, const void *y)
{
	const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* Between the two values beside that rank. */
static double quantile_of(const struct drawn_call *c, size_t n, enum call_part part, double q)
{
	uint64_t v[CALL_SERIES_MOST];
	const double rank = q * (double)(n - 1);
	const size_t at = (size_t)rank;

	for (size_t i = 0; i < n; i++)
		v[i] = c[i].ns[part];
	qsort(v, n, sizeof(*v), by_value);
	return (double)v[at] + (rank - (double)at) * (double)(v[at + 1] - v[at]);
}

static double of_series(const struct call_series *s, enum call_part part, double q)
{
	const double ns = s->n < CALL_SERIES_LOW_LEAST ? NAN : quantile_of(s->calls, s->n, part, q);

	return ns > 0 ? ns : NAN;
}

static double find_low_error(const struct call_series *s, enum call_part part)
{
	const size_t most = s->n / LOW_CALLS, n = most < LOW_STRETCHES ? most : LOW_STRETCHES;
	double low[LOW_STRETCHES];

	if (s->n < CALL_SERIES_LOW_LEAST)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		const size_t from = s->n * i / n, to = s->n * (i + 1) / n;

		low[i] = quantile_of(s->calls + from, to - from, part, LOW);
	}
	return error_of(low, n);
}

/* ---- the same, once for all who ask */

static struct call_figures find_figures(const struct call_series *s, enum call_part part)
{
	return (struct call_figures){ .mean_ns = find_mean(s, part),
				      .error = find_error(s, part),
				      .low_ns = of_series(s, part, LOW),
				      .floor_ns = of_series(s, part, LOW / 10),
				      .low_error = find_low_error(s, part) };
}

void calls_of_all_settle(struct calls_of_all *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct call_series *s = &all->of[i];

		for (unsigned part = 0; part < CALL_PARTS; part++)
			s->figures[part] = find_figures(s, part);
		s->settled = true;
	}
}

double call_series_mean(const struct call_series *s, enum call_part part)
{
	return s->settled ? s->figures[part].mean_ns : find_mean(s, part);
}

double call_series_error(const struct call_series *s, enum call_part part)
{
	return s->settled ? s->figures[part].error : find_error(s, part);
}

double call_series_low(const struct call_series *s, enum call_part part)
{
	return s->settled ? s->figures[part].low_ns : of_series(s, part, LOW);
}

double call_series_floor(const struct call_series *s, enum call_part part)
{
	return s->settled ? s->figures[part].floor_ns : of_series(s, part, LOW / 10);
}

double call_series_low_error(const struct call_series *s, enum call_part part)
{
	return s->settled ? s->figures[part].low_error : find_low_error(s, part);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "stats/interval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Half of each first: the sum of two large numbers may be none. */
static double middle(double a, double b)
{
	return a == b ? a : a / 2 + b / 2;
}

double interval_median(double *v, size_t n)
{
	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : middle(v[n / 2 - 1], v[n / 2]);
}

/* The value of that rank, from 0, where v[i] is there times[i] times. */
static double ranked(const double *v, const uint32_t *times, size_t rank)
{
	size_t i = 0;

	for (size_t seen = times[0]; seen <= rank; seen += times[i])
		i++;
	return v[i];
}

static double resample(const double *v, uint32_t *times, size_t n, struct random_stream *d)
{
	memset(times, 0, n * sizeof(*times));
	for (size_t i = 0; i < n; i++)
		times[random_below(d, n)]++;
	if (n % 2)
		return ranked(v, times, n / 2);
	return middle(ranked(v, times, n / 2 - 1), ranked(v, times, n / 2));
}

int interval_bootstrap(const double *v, size_t n, uint32_t resamples, struct random_stream *d,
		       struct interval *out)
{
	/* as many of the medians lie below the interval as above it: one of 40 */
	const size_t beyond = resamples / 40;

	if (n < INTERVAL_LEAST)
		return -ENODATA;
	double *medians = calloc(resamples, sizeof(*medians));
	uint32_t *times = calloc(n, sizeof(*times));
	int err = medians && times ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < resamples && !err; i++)
		medians[i] = resample(v, times, n, d);
	if (!err) {
		qsort(medians, resamples, sizeof(*medians), compare);
		*out = (struct interval){ medians[beyond], medians[resamples - 1 - beyond] };
	}
	free(medians);
	free(times);
	return err;
}

bool interval_holds(const struct interval *i, double v)
{
	return i->low <= v && v <= i->high;
}

bool interval_wider(const struct interval *i, double factor)
{
	if (interval_holds(i, 0))
		return true;
	return i->low > 0 ? i->high > factor * i->low : i->low < factor * i->high;
}

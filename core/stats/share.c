// SPDX-License-Identifier: BSD-2-Clause
#include "stats/share.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define BEYOND 0.025 /* the chance on each side of an interval */

/* The continued fraction of the incomplete beta function, by Lentz's method; it is quick where
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);

	d = 1 / (fabs(d) < tiny ? tiny : d);
	double f = d;

	for (int m = 1; m < 100000; m++) {
		const double terms[2] = {
			m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
		};
		double change = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + terms[i] / c;
			c = fabs(c) < tiny ? tiny : c;
			change = d * c;
			f *= change;
		}
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return f;
}

/* The chance that a beta-distributed number is at most x. */
static double beta_below(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

static double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < 200 && low < high; i++) {
		double x = low + (high - low) / 2;

		if (x == low || x == high)
			break;
		*(beta_below(x, a, b) < p ? &low : &high) = x;
	}
	return low + (high - low) / 2;
}

int share_exact(uint64_t k, uint64_t n, struct interval *out)
{
	double kd = (double)k, nd = (double)n;

	if (!n || k > n)
		return -EINVAL;
	out->low = k ? beta_quantile(BEYOND, kd, nd - kd + 1) : 0;
	out->high = k < n ? beta_quantile(1 - BEYOND, kd + 1, nd - kd) : 1;
	return 0;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Of runs that were drawn again; drawn once more where nothing is in any of them. */
static double resample(const double *part, const double *whole, size_t n, struct draw *d)
{
	double parts, wholes;

	do {
		parts = wholes = 0;
		for (size_t i = 0; i < n; i++) {
			size_t run = draw_below(d, n);

			parts += part[run];
			wholes += whole[run];
		}
	} while (!(wholes > 0));
	return parts / wholes;
}

int share_of_runs(const double *part, const double *whole, size_t n, uint32_t resamples,
		  struct draw *d, struct interval *out)
{
	const size_t beyond = resamples / 40;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!(part[i] >= 0 && whole[i] >= 0 && isfinite(part[i]) && isfinite(whole[i])))
			return -EINVAL;
		any |= whole[i] > 0;
	}
	if (n < INTERVAL_LEAST || !any)
		return -ENODATA;
	double *shares = calloc(resamples, sizeof(*shares));

	if (!shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < resamples; i++)
		shares[i] = resample(part, whole, n, d);
	qsort(shares, resamples, sizeof(*shares), compare);
	*out = (struct interval){ shares[beyond], shares[resamples - 1 - beyond] };
	free(shares);
	return 0;
}

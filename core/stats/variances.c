// SPDX-License-Identifier: BSD-2-Clause
#include "stats/variances.h"

#include <math.h>

#define FREEDOM_MOST 1e6

/* The first and the second derivative of the logarithm of the gamma function: recurrence up to 6,
 * then the asymptotic series (Abramowitz and Stegun, 6.3.18 and 6.4.12). */
static double digamma(double x)
{
	double less = 0;

	for (; x < 6; x++)
		less += 1 / x;
	const double f = 1 / (x * x);

	return log(x) - 0.5 / x - f * (1 / 12. - f * (1 / 120. - f / 252)) - less;
}

static double trigamma(double x)
{
	double more = 0;

	for (; x < 6; x++)
		more += 1 / (x * x);
	const double f = 1 / (x * x);

	return 1 / x + f / 2 + f / x * (1 / 6. - f * (1 / 30. - f / 42)) + more;
}

/* It falls from infinity to 0. */
static double trigamma_inverse(double y)
{
	double low = 1e-6, high = FREEDOM_MOST;

	for (int i = 0; i < 100; i++) {
		const double x = sqrt(low * high);

		*(trigamma(x) > y ? &low : &high) = x;
	}
	return sqrt(low * high);
}

struct variance_prior variances_learn(const double *squares, size_t n, double freedom)
{
	const double half = freedom / 2, by_chance = trigamma(half);
	double sum = 0, off = 0;
	size_t some = 0;

	for (size_t i = 0; i < n; i++)
		if (squares[i] > 0) {
			sum += log(squares[i]);
			some++;
		}
	if (some < VARIANCES_LEAST)
		return (struct variance_prior){ 0, 0 };
	const double mean = sum / (double)some;

	for (size_t i = 0; i < n; i++)
		if (squares[i] > 0)
			off += pow(log(squares[i]) - mean, 2);
	const double hidden = by_chance * sqrt(2 / (double)(some - 1)),
		     differ = off / (double)(some - 1) - by_chance + hidden,
		     all = trigamma_inverse(fmax(differ, 1e-6));

	return (struct variance_prior){
		.square = exp(mean - digamma(half) + log(half) + digamma(all) - log(all)),
		.freedom = 2 * all,
	};
}

double variances_moderated(const struct variance_prior *p, double square, double *freedom)
{
	const double own = *freedom;

	*freedom += p->freedom;
	return (p->freedom * p->square + own * square) / *freedom;
}

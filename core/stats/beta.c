// SPDX-License-Identifier: BSD-2-Clause
#include "stats/beta.h"

#include <math.h>

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

/* Returns the chance that a beta-distributed number is at most x; a and b are above 0. */
static double below(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < 200 && low < high; i++) {
		double x = low + (high - low) / 2;

		if (x == low || x == high)
			break;
		*(below(x, a, b) < p ? &low : &high) = x;
	}
	return low + (high - low) / 2;
}

double student_beyond(double beyond, double freedom)
{
	/* Of a t-distributed number t, freedom / (freedom + t^2) is beta-distributed. */
	const double x = beta_quantile(2 * beyond, freedom / 2, 0.5);

	return x > 0 ? sqrt(freedom * (1 - x) / x) : INFINITY;
}

// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "stats/interval.h"

#define MEDIAN(...)                                \
	interval_median((double[]){ __VA_ARGS__ }, \
			sizeof((double[]){ __VA_ARGS__ }) / sizeof(double))

TEST(medians)
{
	assert_true(isnan(interval_median(NULL, 0)));
	assert_true(MEDIAN(7) == 7);
	assert_true(MEDIAN(3, 1) == 2);
	assert_true(MEDIAN(3, 1, 2) == 2);
	assert_true(MEDIAN(4, 1, 3, 2) == 2.5);
	assert_true(MEDIAN(100, 1, 2, 3, 4, 5) == 3.5);
	assert_true(MEDIAN(2, 2, 2, 2) == 2);
	assert_true(MEDIAN(1, 2, 2, 9) == 2);
	assert_true(MEDIAN(-1, -3, 5) == -1);
	assert_true(MEDIAN(DBL_MAX, DBL_MAX) == DBL_MAX);
	assert_true(MEDIAN(DBL_MAX, DBL_MAX / 2) < DBL_MAX);
	assert_true(MEDIAN(0.1, 0.1) == 0.1);
}

TEST(sorts)
{
	double v[] = { 3, 1, 2 };

	interval_median(v, 3);
	assert_true(v[0] == 1 && v[1] == 2 && v[2] == 3);
}

static struct interval of(const double *v, size_t n, uint64_t seed)
{
	struct random_stream d = random_from(seed, NULL);
	struct interval i = { NAN, NAN };

	assert_int_equal(interval_bootstrap(v, n, INTERVAL_RESAMPLES, &d, &i), 0);
	return i;
}

TEST(too_few)
{
	const double v[INTERVAL_LEAST] = { 1, 2, 3, 4, 5 };
	struct interval i = { 7, 8 };
	struct random_stream d = random_from(1, NULL);

	for (size_t n = 0; n < INTERVAL_LEAST; n++)
		assert_int_equal(interval_bootstrap(v, n, 1000, &d, &i), -ENODATA);
	assert_true(i.low == 7 && i.high == 8);
	/* Three of five draws are the least value in 5.8 of 100 resamples. */
	i = of(v, INTERVAL_LEAST, 1);
	assert_true(i.low == 1 && i.high == 5);
}

TEST(ties)
{
	const double same[] = { 4, 4, 4, 4, 4, 4 }, most[] = { 1, 4, 4, 4, 4, 4, 4, 4, 4, 9 };
	struct interval i = of(same, 6, 1);

	assert_true(i.low == 4 && i.high == 4);
	i = of(most, 10, 1);
	assert_true(i.low == 4 && i.high == 4);
}

TEST(seeded)
{
	double v[40];

	for (size_t i = 0; i < 40; i++)
		v[i] = (double)(i * i);
	struct interval a = of(v, 40, 11), b = of(v, 40, 11);

	assert_true(a.low == b.low && a.high == b.high);
	assert_true(a.low < a.high);
	/* Few resamples are not the same for each seed; a seed is what makes them so. */
	for (uint64_t seed = 1;; seed++) {
		struct random_stream d = random_from(seed, NULL);

		assert_true(seed < 100);
		assert_int_equal(interval_bootstrap(v, 40, 40, &d, &b), 0);
		if (b.low != a.low || b.high != a.high)
			break;
	}
}

/* How likely at most k - 1 of n draws are of p: the chance that the resample's median is above. */
static double binomial_below(unsigned k, unsigned n, double p)
{
	double sum = 0, term = pow(1 - p, n);

	for (unsigned i = 0; i < k; i++) {
		sum += term;
		term *= (n - i) * p / ((i + 1) * (1 - p));
	}
	return sum;
}

/*
 * For odd n the distribution of the resamples' median is known: it is at most v[i] where more than
 * half of the draws are of the first i + 1. The interval's ends are the first values at which that
 * passes 2.5 and 97.5 of 100.
 */
TEST(as_known)
{
	for (unsigned n = 5; n <= 31; n += 2) {
		double v[31], low = NAN, high = NAN;
		bool close = false;

		for (unsigned i = 0; i < n; i++) {
			double at_most = i + 1 == n
						 ? 1
						 : 1 - binomial_below(n / 2 + 1, n, (i + 1.) / n);

			v[i] = exp(i);
			if (isnan(low) && at_most > 0.025)
				low = v[i];
			if (isnan(high) && at_most >= 0.975)
				high = v[i];
			/* five standard deviations of a share of 10,000 */
			close |= fabs(at_most - 0.025) < 0.008 || fabs(at_most - 0.975) < 0.008;
		}
		if (close)
			continue; /* either of two values is right */
		struct interval i = of(v, n, n);

		assert_true(i.low == low);
		assert_true(i.high == high);
	}
}

/* It holds the true median of what is drawn at random in 95 of 100 experiments; a little less with
 * few values. */
TEST(covers)
{
	struct random_stream d = random_from(5, NULL);
	unsigned held = 0;

	for (int k = 0; k < 1000; k++) {
		double v[21];
		struct interval i;

		for (int j = 0; j < 21; j++)
			v[j] = (double)random_below(&d, 1000001) / 1e6;
		interval_median(v, 21);
		assert_int_equal(interval_bootstrap(v, 21, 400, &d, &i), 0);
		held += interval_holds(&i, 0.5);
	}
	assert_in_range(held, 920, 985);
}

TEST(widths)
{
	static const struct {
		struct interval i;
		double factor;
		bool wider;
	} cases[] = {
		{ { 1, 1.5 }, 1.5, false },   { { 1, 1.6 }, 1.5, true },
		{ { 2, 2 }, 1, false },       { { 0, 1 }, 1000, true },
		{ { -1, 1 }, 1000, true },    { { -1.6, -1 }, 1.5, true },
		{ { -1.5, -1 }, 1.5, false }, { { 0, 0 }, 1.5, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(interval_wider(&cases[i].i, cases[i].factor), cases[i].wider);
	assert_true(interval_holds(&(struct interval){ 1, 2 }, 1));
	assert_true(interval_holds(&(struct interval){ 1, 2 }, 2));
	assert_false(interval_holds(&(struct interval){ 1, 2 }, 0.999));
	assert_false(interval_holds(&(struct interval){ 1, 2 }, NAN));
}

TESTS(medians, sorts, too_few, ties, seeded, as_known, covers, widths)

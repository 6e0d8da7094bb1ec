// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "base/test_fixture.h"
#include "stats/share.h"

static bool close_to(double a, double b)
{
	return fabs(a - b) < 5.1e-5;
}

/* The four digits that are published in Newcombe: Two-sided confidence intervals for the single
 * proportion, Statistics in Medicine 17 (1998), table I, method 5; and of one draw. */
TEST(exact_as_known)
{
	static const struct {
		uint64_t k, n;
		double low, high;
	} cases[] = {
		{ 0, 1, 0, 0.975 },          { 1, 1, 0.025, 1 },   { 81, 263, 0.2527, 0.3676 },
		{ 15, 148, 0.0578, 0.1617 }, { 0, 20, 0, 0.1684 }, { 1, 29, 0.0009, 0.1776 },
	};
	struct interval i;

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		assert_int_equal(share_exact(cases[c].k, cases[c].n, &i), 0);
		assert_true(close_to(i.low, cases[c].low));
		assert_true(close_to(i.high, cases[c].high));
	}
	/* 0 of n: (1 - p)^n is 0.025 at its upper end. */
	for (uint64_t n = 1; n <= 1000000; n *= 10) {
		assert_int_equal(share_exact(0, n, &i), 0);
		assert_true(i.low == 0);
		assert_true(fabs(i.high - -expm1(log(0.025) / (double)n)) < 1e-12);
		assert_int_equal(share_exact(n, n, &i), 0);
		assert_true(i.high == 1);
		assert_true(fabs(i.low - exp(log(0.025) / (double)n)) < 1e-9);
	}
}

/* The chance of at most k of n, added up. */
static double binomial_at_most(unsigned k, unsigned n, double p)
{
	double sum = 0;

	for (unsigned i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1.) - lgamma(i + 1.) - lgamma(n - i + 1.) + i * log(p) +
			   (n - i) * log1p(-p));
	return sum;
}

/* What defines it: at the upper end k or fewer have a chance of 0.025, at the lower k or more. */
TEST(exact_by_definition)
{
	struct interval i;

	for (unsigned n = 2; n <= 2000; n = n * 3 / 2 + 1)
		for (unsigned k = 1; k < n; k += n / 7 + 1) {
			assert_int_equal(share_exact(k, n, &i), 0);
			assert_true(fabs(binomial_at_most(k, n, i.high) - 0.025) < 1e-8);
			assert_true(fabs(1 - binomial_at_most(k - 1, n, i.low) - 0.025) < 1e-8);
		}
}

TEST(exact_mirrored)
{
	struct interval i, j;

	for (uint64_t k = 0; k <= 37; k++) {
		assert_int_equal(share_exact(k, 37, &i), 0);
		assert_int_equal(share_exact(37 - k, 37, &j), 0);
		assert_true(fabs(i.low - (1 - j.high)) < 1e-12);
		assert_true(interval_holds(&i, (double)k / 37));
	}
}

TEST(exact_refuses)
{
	struct interval i = { 7, 8 };

	assert_int_equal(share_exact(0, 0, &i), -EINVAL);
	assert_int_equal(share_exact(2, 1, &i), -EINVAL);
	assert_true(i.low == 7 && i.high == 8);
}

static int of_runs(const double *part, const double *whole, size_t n, struct interval *i)
{
	struct random_stream d = random_from(1, NULL);

	return share_of_runs(part, whole, n, INTERVAL_RESAMPLES, &d, i);
}

TEST(runs_alike)
{
	const double part[] = { 1, 2, 3, 4, 5 }, whole[] = { 4, 8, 12, 16, 20 };
	struct interval i;

	assert_int_equal(of_runs(part, whole, 5, &i), 0);
	assert_true(i.low == 0.25 && i.high == 0.25);
}

/* A share of runs, not of what is in them: one long run of five has all of the part. It is in no
 * resample in 33 of 100, and in all five hardly ever. */
TEST(runs_that_differ)
{
	const double part[] = { 100, 0, 0, 0, 0 }, whole[] = { 100, 1, 1, 1, 1 };
	struct interval i, again;

	assert_int_equal(of_runs(part, whole, 5, &i), 0);
	assert_true(i.low == 0);
	assert_true(close_to(i.high, 300. / 302)); /* three or more: 5.8 of 100; four: 0.67 */
	assert_int_equal(of_runs(part, whole, 5, &again), 0);
	assert_true(i.low == again.low && i.high == again.high);
}

TEST(runs_without_anything)
{
	const double none[5] = { 0 }, one[5] = { 0, 0, 3, 0, 0 }, bad[5] = { 0, 0, -1, 0, 0 },
		     nan[5] = { 0, 0, NAN, 0, 0 };
	struct interval i = { 7, 8 };

	assert_int_equal(of_runs(none, none, 5, &i), -ENODATA);
	assert_int_equal(of_runs(one, one, 4, &i), -ENODATA);
	assert_int_equal(of_runs(bad, one, 5, &i), -EINVAL);
	assert_int_equal(of_runs(one, nan, 5, &i), -EINVAL);
	assert_true(i.low == 7 && i.high == 8);
	/* resamples in which the only run with anything is not drawn say nothing */
	assert_int_equal(of_runs(one, one, 5, &i), 0);
	assert_true(i.low == 1 && i.high == 1);
}

TESTS(exact_as_known, exact_by_definition, exact_mirrored, exact_refuses, runs_alike,
      runs_that_differ, runs_without_anything)

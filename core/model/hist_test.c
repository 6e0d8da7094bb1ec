// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/test_fixture.h"
#include "model/hist.h"

static void within_1_pct(uint64_t got, uint64_t want)
{
	uint64_t off = got > want ? got - want : want - got;

	if (off > want / 100)
		fail_msg("%llu is not within 1 %% of %llu", (unsigned long long)got,
			 (unsigned long long)want);
}

TEST(test_one_value)
{
	for (uint64_t v = 1; v && v < UINT64_MAX / 3; v += v / 7 + 1) {
		struct hist h = { 0 };

		assert_int_equal(hist_add(&h, v), 0);
		within_1_pct(hist_quantile(&h, 0.5), v);
		hist_free(&h);
	}
	struct hist h = { 0 };

	assert_int_equal(hist_add(&h, UINT64_MAX), 0);
	within_1_pct(hist_quantile(&h, 1), UINT64_MAX);
	hist_free(&h);
}

TEST(test_quantiles)
{
	struct hist h = { 0 };

	assert_int_equal(hist_quantile(&h, 0.5), 0);
	for (uint64_t v = 1; v <= 100000; v++)
		assert_int_equal(hist_add(&h, v * 10), 0);
	within_1_pct(hist_quantile(&h, 0.5), 500000);
	within_1_pct(hist_quantile(&h, 0.9), 900000);
	within_1_pct(hist_quantile(&h, 0.99), 990000);
	within_1_pct(hist_quantile(&h, 1), 1000000);
	assert_int_equal(hist_quantile(&h, 0), 10);
	hist_free(&h);
}

TEST(test_merge)
{
	struct hist a = { 0 }, b = { 0 };

	for (uint64_t v = 0; v < 1000; v++)
		assert_int_equal(hist_add(v % 2 ? &a : &b, v * v), 0);
	assert_int_equal(hist_merge(&a, &b), 0);
	assert_int_equal(a.count, 1000);
	within_1_pct(hist_quantile(&a, 0.5), 499 * 499);
	hist_free(&a);
	hist_free(&b);
}

/* More of one value than 16 bits count, apart and merged. */
TEST(test_many)
{
	struct hist a = { 0 }, b = { 0 };

	for (uint32_t i = 0; i < 200000; i++)
		assert_int_equal(hist_add(&a, 1000), 0);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(hist_add(&a, 9000), 0);
	for (uint32_t i = 0; i < 65536; i++)
		assert_int_equal(hist_add(&b, 9000), 0);
	within_1_pct(hist_quantile(&a, 0.66), 1000);
	within_1_pct(hist_quantile(&a, 0.67), 9000);
	for (uint32_t times = 0; times < 2; times++)
		assert_int_equal(hist_merge(&a, &b), 0);
	assert_int_equal(a.count, 300000 + 2 * 65536);
	within_1_pct(hist_quantile(&a, 200000.0 / (300000 + 2 * 65536)), 1000);
	within_1_pct(hist_quantile(&a, 200002.0 / (300000 + 2 * 65536)), 9000);
	hist_free(&a);
	hist_free(&b);
}

TESTS(test_one_value, test_quantiles, test_merge, test_many)

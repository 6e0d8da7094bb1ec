// SPDX-License-Identifier: BSD-2-Clause
/* Bars of histograms: every call is in one, and in the right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/hist_rows.h"

static void test_empty(void **state)
{
	struct hist_bar bars[HIST_BARS];
	struct hist h = { 0 };

	(void)state;
	assert_int_equal(hist_bars(&h, bars), 0);
}

/* Any set of durations: bars touch, hold all calls, and each call is within its bar. */
static void test_random(void **state)
{
	(void)state;
	srandom(7);
	for (int round = 0; round < 200; round++) {
		const unsigned n = 1 + (unsigned)random() % 200, bits = 1 + (unsigned)random() % 63;
		uint64_t *ns = calloc(n, sizeof(*ns)), sum = 0;
		struct hist_bar bars[HIST_BARS];
		struct hist h = { 0 };

		for (unsigned i = 0; i < n; i++) {
			ns[i] = ((uint64_t)random() << 33 ^ (uint64_t)random() << 2) >> (64 - bits);
			assert_int_equal(hist_add(&h, ns[i]), 0);
		}
		const size_t n_bars = hist_bars(&h, bars);

		assert_in_range(n_bars, 1, HIST_BARS);
		for (size_t k = 0; k < n_bars; k++) {
			uint64_t in = 0;

			for (unsigned i = 0; i < n; i++)
				in += ns[i] >= bars[k].from_ns && ns[i] < bars[k].to_ns;
			assert_int_equal(in, bars[k].calls);
			assert_true(bars[k].from_ns < bars[k].to_ns);
			assert_true(!k || bars[k].from_ns == bars[k - 1].to_ns);
			sum += bars[k].calls;
		}
		assert_int_equal(sum, n);
		assert_true(bars[0].calls && bars[n_bars - 1].calls);
		hist_free(&h);
		free(ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

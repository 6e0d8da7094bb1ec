// SPDX-License-Identifier: BSD-2-Clause
/* Bars of histograms: every call is in one, and in the right one. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "report/hist_rows.h"

TEST(test_empty)
{
	struct hist_bar bars[HIST_BARS];
	struct hist h = { 0 };

	assert_int_equal(hist_bars(&h, bars), 0);
}

/* Any set of durations: bars touch, hold all calls, and each call is within its bar. */
TEST(test_random)
{
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

TESTS(test_empty, test_random)

// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/test_fixture.h"
#include "analysis/calls/first_calls.h"

/* Whatever the order in which calls end, those that began first are kept, in order. */
TEST(test_any_order)
{
	unsigned random = 1;

	for (unsigned round = 0; round < 2000; round++) {
		uint64_t orders[64];
		size_t n = round % 64, most = round / 64 % 40;
		struct first_calls f = { .most = most };

		for (size_t i = 0; i < n; i++)
			orders[i] = 3 * i;
		for (size_t i = n; i > 1; i--) {
			random = random * 1103515245 + 12345;
			size_t k = (random >> 8) % i;
			uint64_t t = orders[k];

			orders[k] = orders[i - 1];
			orders[i - 1] = t;
		}
		for (size_t i = 0; i < n; i++)
			assert_int_equal(first_calls_put(&f,
							 &(struct call){ .order = orders[i],
									 .goid = orders[i] + 1 }),
					 0);
		first_calls_sort(&f);
		assert_int_equal(f.n, n < most ? n : most);
		for (size_t i = 0; i < f.n; i++) {
			assert_int_equal(f.calls[i].order, 3 * i);
			assert_int_equal(f.calls[i].goid, 3 * i + 1);
		}
		first_calls_free(&f);
	}
}

static uint64_t goid_weight(const struct call *c)
{
	return c->goid;
}

/* With a weight the heaviest are kept, the heaviest first, of equal ones those that began first. */
TEST(test_heaviest)
{
	static const uint64_t goids[] = { 5, 9, 1, 9, 7, 0, 5 };
	static const uint64_t orders[] = { 1, 3, 4, 0, 6, 2, 5 };
	enum { N = sizeof(goids) / sizeof(goids[0]) };

	for (size_t most = 0; most <= N + 1; most++) {
		struct first_calls f = { .most = most, .weight = goid_weight };
		struct call all[N];

		for (size_t i = 0; i < N; i++) {
			all[i] = (struct call){ .goid = goids[i], .order = orders[i] };
			assert_int_equal(first_calls_put(&f, &all[i]), 0);
		}
		first_calls_sort(&f);
		first_calls_sort_all(all, N, goid_weight);
		assert_int_equal(f.n, most < N ? most : N);
		for (size_t i = 0; i < N; i++) {
			static const uint64_t want[] = { 0, 3, 6, 1, 5, 4, 2 };

			assert_int_equal(all[i].order, want[i]);
			if (i < f.n)
				assert_int_equal(f.calls[i].order, want[i]);
		}
		first_calls_free(&f);
	}
}

TESTS(test_any_order, test_heaviest)

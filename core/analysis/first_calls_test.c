// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/first_calls.h"

/* Whatever the order in which calls end, those that began first are kept, in order. */
static void test_any_order(void **state)
{
	unsigned random = 1;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t orders[64];
		size_t n = round % 64, most = round / 64 % 40;
		struct firstcalls f = { .most = most };

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
			assert_int_equal(firstcalls_put(&f,
							&(struct call){ .order = orders[i],
									.goid = orders[i] + 1 }),
					 0);
		firstcalls_sort(&f);
		assert_int_equal(f.n, n < most ? n : most);
		for (size_t i = 0; i < f.n; i++) {
			assert_int_equal(f.calls[i].order, 3 * i);
			assert_int_equal(f.calls[i].goid, 3 * i + 1);
		}
		firstcalls_free(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

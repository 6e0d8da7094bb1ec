// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "analysis/calls/callers.h"

static uint64_t put(struct callers *t, uint64_t goid, uint32_t level, uint64_t start_ns,
		    uint64_t end_ns, uint64_t id)
{
	const struct call c = {
		.goid = goid, .level = level, .start_ns = start_ns, .end_ns = end_ns
	};
	uint64_t caller;

	assert_int_equal(callers_put(t, &c, id, &caller), 0);
	return caller;
}

TEST(test_levels)
{
	struct callers t = { 0 };

	assert_int_equal(put(&t, 1, 0, 10, 90, 1), 0);
	assert_int_equal(put(&t, 1, 1, 20, 80, 2), 1);
	assert_int_equal(put(&t, 2, 0, 25, 75, 3), 0);
	assert_int_equal(put(&t, 1, 2, 30, 40, 4), 2);
	assert_int_equal(put(&t, 2, 1, 35, 36, 5), 3);
	assert_int_equal(put(&t, 1, 2, 50, 60, 6), 2);
	assert_int_equal(put(&t, 1, 1, 85, 86, 7), 1);
	assert_int_equal(put(&t, 1, 0, 95, 96, 8), 0);
	callers_free(&t);
}

/* A thread's system stack is not the goroutine of its number. */
TEST(test_system)
{
	const struct call outer = { .goid = 7, .tid = 7, .system = true, .end_ns = 100 };
	const struct call inner = {
		.goid = 8, .tid = 7, .system = true, .level = 1, .start_ns = 20, .end_ns = 90
	};
	struct callers t = { 0 };
	uint64_t caller;

	assert_int_equal(callers_put(&t, &outer, 1, &caller), 0);
	assert_int_equal(put(&t, 7, 0, 10, 100, 2), 0);
	assert_int_equal(put(&t, 7, 1, 15, 100, 3), 2);
	assert_int_equal(callers_put(&t, &inner, 4, &caller), 0);
	assert_int_equal(caller, 1);
	callers_free(&t);
}

/* A million goroutines, one after the other, while one call is open all the time. */
TEST(test_forgets)
{
	struct callers t = { 0 };

	put(&t, 1, 0, 0, 10000000, 1);
	for (uint64_t g = 2; g < 1000000; g++) {
		assert_int_equal(put(&t, g, 0, 10 * g, 10 * g + 9, 2 * g), 0);
		assert_int_equal(put(&t, g, 1, 10 * g + 1, 10 * g + 8, 2 * g + 1), 2 * g);
	}
	assert_int_equal(put(&t, 1, 1, 9999999, 10000000, 2), 1);
	assert_true(t.cap <= 256);
	callers_free(&t);
}

TESTS(test_levels, test_system, test_forgets)

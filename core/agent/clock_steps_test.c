// SPDX-License-Identifier: BSD-2-Clause
/* Steps of the real time, after which no profile is too old. */

#include "base/test_fixture.h"
#include "agent/clock_steps.h"

#define SECOND 1000000000ull
#define HOUR   (3600 * SECOND)
#define START  (1764000000ull * SECOND)

TEST(test_ahead)
{
	struct clock_steps c = { 0 };

	assert_true(clock_steps_settled(&c, 0));
	assert_int_equal(clock_steps_look(&c, START, 5 * SECOND), 0);
	/* as time goes; slewed; a day of suspend, which both clocks count */
	assert_int_equal(clock_steps_look(&c, START + 15 * SECOND, 20 * SECOND), 0);
	assert_int_equal(clock_steps_look(&c, START + 32 * SECOND, 35 * SECOND), 0);
	assert_int_equal(clock_steps_look(&c, START + 24 * HOUR, 24 * HOUR), 0);
	assert_true(clock_steps_settled(&c, 24 * HOUR));
	assert_int_equal(clock_steps_look(&c, START + 124 * HOUR, 24 * HOUR + SECOND),
			 100 * HOUR - SECOND);
	assert_false(clock_steps_settled(&c, 24 * HOUR + SECOND));
	/* set right again: nothing that was recorded meanwhile is of the past */
	assert_int_equal(clock_steps_look(&c, START + 25 * HOUR, 25 * HOUR), 0);
	assert_false(clock_steps_settled(&c, 25 * HOUR));
	assert_true(clock_steps_settled(&c, 25 * HOUR + SECOND));
}

/* What was set back and is set right makes those of before as old as they are. */
TEST(test_back)
{
	struct clock_steps c = { 0 };

	assert_int_equal(clock_steps_look(&c, START, SECOND), 0);
	assert_int_equal(clock_steps_look(&c, SECOND, 2 * SECOND), 0);
	assert_true(clock_steps_settled(&c, 2 * SECOND));
	assert_true(clock_steps_look(&c, START + 2 * SECOND, 3 * SECOND) > 0);
	assert_false(clock_steps_settled(&c, 3 * SECOND));
}

TESTS(test_ahead, test_back)

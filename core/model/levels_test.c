// SPDX-License-Identifier: BSD-2-Clause
/* How long goroutines were runnable, by how many executed meanwhile. */

#include "base/test_fixture.h"
#include "model/levels.h"

static const struct level none = { false, false }, executes = { true, false },
			  runnable = { false, true };

/* Nothing counts while nobody is runnable. */
TEST(test_counts)
{
	struct levels l = { 0 };
	struct level a = none, b = none, c = none;

	levels_move(&l, &a, executes, 100);
	levels_move(&l, &b, executes, 200);
	levels_move(&l, &c, runnable, 300); /* up to 400 two execute */
	levels_move(&l, &b, none, 400);     /* up to 450 one does */
	levels_move(&l, &c, executes, 450);
	levels_move(&l, &a, none, 900);
	levels_move(&l, &c, none, 1000);
	assert_int_equal(l.ns[2], 100);
	assert_int_equal(l.ns[1], 50);
	assert_int_equal(l.ns[0], 0);
	assert_int_equal(l.executing, 0);
	assert_int_equal(l.runnable, 0);
}

/* A time before the last one adds nothing, and the counts stay right. */
TEST(test_backwards)
{
	struct levels l = { 0 };
	struct level a = none, b = none;

	levels_move(&l, &a, runnable, 1000);
	levels_move(&l, &b, executes, 500);
	levels_move(&l, &a, none, 1200);
	assert_int_equal(l.ns[1], 200);
	assert_int_equal(l.executing, 1);
}

TEST(test_many)
{
	struct level all[2 * LEVELS] = { 0 }, waits = none;
	struct levels l = { 0 };

	for (int i = 0; i < 2 * LEVELS; i++)
		levels_move(&l, &all[i], executes, 0);
	levels_move(&l, &waits, runnable, 0);
	levels_move(&l, &waits, none, 70);
	assert_int_equal(l.ns[LEVELS - 1], 70);
}

TEST(test_restart)
{
	struct levels l = { 0 };
	struct level a = none, b = none;

	levels_move(&l, &a, executes, 0);
	levels_move(&l, &b, runnable, 0);
	levels_restart(&l, 500);
	levels_move(&l, &b, none, 600);
	assert_int_equal(l.ns[1], 100);
}

TESTS(test_counts, test_backwards, test_many, test_restart)

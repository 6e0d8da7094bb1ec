// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "rings/tsc_clock.h"

#define MS 1000000u

static struct tsc_clock clock_;

FIXTURE(fresh)
{
	memset(&clock_, 0, sizeof(clock_));
	return 0;
}

static bool add(uint64_t tsc, uint64_t ns)
{
	return tsc_clock_add(&clock_, &(struct tsc_pair){ .tsc = tsc, .ns = ns });
}

TEST(between_two_pairs_on_a_line)
{
	assert_null(tsc_clock_find(&clock_, 5));
	assert_false(add(3000, 1000));
	assert_null(tsc_clock_find(&clock_, 3000));        /* one pair has no slope */
	assert_false(add(3000 + 26 * MS, 1000 + 10 * MS)); /* 2.6 GHz */
	const struct tsc_segment *s = tsc_clock_find(&clock_, 3000);

	assert_non_null(s);
	assert_int_equal(tsc_segment_ns(s, 3000), 1000);
	assert_in_range(tsc_segment_ns(s, 3000 + 13 * MS), 1000 + 5 * MS - 1, 1000 + 5 * MS);
	assert_ptr_equal(tsc_clock_find(&clock_, 3000 + 26 * MS - 1), s);
	assert_null(tsc_clock_find(&clock_,
				   3000 + 26 * MS)); /* the last pair's: from there on unknown */
	assert_int_equal(tsc_clock_ns(&clock_, 3000 + 99 * MS), 1000 + 10 * MS);
}

/* The rate changes a little from pair to pair, as time adjustment has it, and pairs are off by some
 * ns: later counters have later times all the same. */
TEST(drift_and_noise_keep_the_order)
{
	uint64_t tsc = 1000, ns = 77, seed = 42, last = 0;

	for (int i = 0; i < 3000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		add(tsc, ns + (seed >> 60));
		/* 2.6 ticks a ns and up to 400 millionths more */
		tsc += 5200000 + (uint64_t)(i % 20) * 100;
		ns += 2000000;
	}
	assert_int_equal(clock_.jumps, 0);
	assert_in_range(clock_.worst_residual_ns, 1, 2000);
	assert_true(tsc_clock_residual_ns(&clock_) > 0);
	for (tsc = clock_.segments[clock_.first % TSC_SEGMENTS].tsc - 50000;
	     tsc < clock_.last.tsc + 50000; tsc += 777) {
		uint64_t at = tsc_clock_ns(&clock_, tsc);

		assert_true(at >= last);
		last = at;
	}
	assert_int_equal(last, clock_.last.ns);
}

TEST(a_jump_is_reported_once)
{
	uint64_t i = 0;

	for (; i < 10; i++)
		assert_false(add(i * 2 * MS, i * MS));
	/* the virtual machine moved: 3 ms passed that the counter knows nothing of */
	assert_true(add(i * 2 * MS, (i + 3) * MS));
	assert_int_equal(clock_.jumps, 1);
	for (i++; i < 20; i++)
		assert_false(add(i * 2 * MS, (i + 3) * MS));
	assert_int_equal(clock_.jumps, 1);
	/* in between: between the pairs' times */
	assert_in_range(tsc_clock_ns(&clock_, 19 * MS), 9 * MS, 13 * MS);
}

/* Time adjustment slews by 500 millionths at the most: over 100 ms more than a jump is. */
TEST(slewing_is_no_jump)
{
	add(0, 0);
	assert_false(add(100 * MS, 100 * MS));
	assert_false(add(200 * MS, 200 * MS + 45000));
	assert_true(add(300 * MS, 300 * MS + 45000 + 90000));
}

TEST(a_doubtful_pair_is_no_jump)
{
	add(0, 0);
	add(1 * MS, 1 * MS);
	assert_false(tsc_clock_add(&clock_, &(struct tsc_pair){ .tsc = 2 * MS,
								.ns = 2 * MS + 40000,
								.doubt_ns = 35000 }));
}

TEST(a_counter_that_went_back)
{
	add(500 * MS, 1 * MS);
	add(501 * MS, 2 * MS);
	assert_true(add(7 * MS, 3 * MS)); /* another host's */
	assert_false(add(8 * MS, 4 * MS));
	assert_int_equal(tsc_clock_ns(&clock_, 500 * MS + MS / 2), 1 * MS + MS / 2);
	assert_int_equal(tsc_clock_ns(&clock_, 7 * MS + MS / 2), 3 * MS + MS / 2);
	/* CLOCK_MONOTONIC does not go back; if a pair says so, time stands */
	assert_true(add(9 * MS, 3 * MS));
	assert_int_equal(tsc_clock_ns(&clock_, 8 * MS + 5), 4 * MS);
	assert_int_equal(clock_.last.ns, 4 * MS);
}

TEST(before_all_that_is_kept)
{
	for (uint64_t i = 10; i < 10 + TSC_SEGMENTS + 40; i++)
		add(i * 2 * MS, i * MS);
	assert_int_equal(clock_.end - clock_.first, TSC_SEGMENTS);
	assert_null(tsc_clock_find(&clock_, 22 * MS));
	assert_int_equal(tsc_clock_ns(&clock_, 22 * MS), 11 * MS);
	assert_int_equal(tsc_clock_ns(&clock_, 0), 0);
}

TEST(offset_is_of_the_fastest_answer)
{
	struct tsc_offset o = { .doubt = UINT64_MAX };

	assert_int_equal(tsc_offset_sure(&o, 200), 0);
	tsc_offset_add(&o, 1000, 91000, 101000);
	tsc_offset_add(&o, 200000, 200150, 200200);
	tsc_offset_add(&o, 300000, 300500, 300800);
	assert_int_equal(o.ticks, 50);
	assert_int_equal(o.doubt, 100);
	assert_int_equal(tsc_offset_sure(&o, 200), 50);
}

TEST(a_slow_answer_proves_no_offset)
{
	struct tsc_offset o = { .doubt = UINT64_MAX };

	/* the other CPU answered at once, this thread had to wait for its own */
	tsc_offset_add(&o, 1000000, 1000100, 61000000);
	assert_int_equal(tsc_offset_sure(&o, 400), 0);
	/* at the other end */
	o.doubt = UINT64_MAX;
	tsc_offset_add(&o, 1000000, 60999900, 61000000);
	assert_int_equal(tsc_offset_sure(&o, 400), 0);
	/* but one outside of question and answer is of another clock */
	o.doubt = UINT64_MAX;
	tsc_offset_add(&o, 1000000, 999000, 1004000);
	assert_int_equal(tsc_offset_sure(&o, 400), -1000);
	o.doubt = UINT64_MAX;
	tsc_offset_add(&o, 1000000, 1009000, 1004000);
	assert_int_equal(tsc_offset_sure(&o, 400), 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(between_two_pairs_on_a_line, fresh),
		cmocka_unit_test_setup(drift_and_noise_keep_the_order, fresh),
		cmocka_unit_test_setup(a_jump_is_reported_once, fresh),
		cmocka_unit_test_setup(slewing_is_no_jump, fresh),
		cmocka_unit_test_setup(a_doubtful_pair_is_no_jump, fresh),
		cmocka_unit_test_setup(a_counter_that_went_back, fresh),
		cmocka_unit_test_setup(before_all_that_is_kept, fresh),
		cmocka_unit_test(offset_is_of_the_fastest_answer),
		cmocka_unit_test(a_slow_answer_proves_no_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

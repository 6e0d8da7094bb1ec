// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "attach/cost_limit.h"

TEST(test_exceeded)
{
	assert_false(cost_limit_exceeded(1000, 200, 0.2));
	assert_true(cost_limit_exceeded(1000, 201, 0.2));
	assert_false(cost_limit_exceeded(1000, 0, 0.01));
	assert_true(cost_limit_exceeded(1000, 5000, 0.5)); /* an estimate may be too high */
	assert_false(cost_limit_exceeded(0, 0, 0.2));
}

TEST(test_choose)
{
	/* The program's own time is 100: the rest may take 25, a fifth of 125. But that is little
	 * besides 900, of which at most nine tenths go at once. */
	static const uint64_t funcs[] = { 10, 300, 0, 40, 12, 500 };
	const struct cost_span s = { 1000, 900, funcs, 6 };
	uint32_t out[6];
	uint64_t left;

	assert_int_equal(cost_limit_choose(&s, 0.2, out, &left), 3);
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 1);
	assert_int_equal(out[2], 3);
	assert_int_equal(left, 60);
	assert_int_equal(cost_limit_choose(&s, 0.5, out, &left), 2);
	assert_int_equal(left, 100);
	assert_int_equal(cost_limit_choose(&s, 0.95, out, &left), 0);
}

/* Costs that were estimated too high leave something to the program. */
TEST(test_more_than_all)
{
	static const uint64_t funcs[] = { 3000, 1, 1 };
	const struct cost_span s = { 1000, 3002, funcs, 3 };
	uint32_t out[3];
	uint64_t left;

	assert_int_equal(cost_limit_choose(&s, 0.2, out, &left), 1);
	assert_int_equal(out[0], 0);
	assert_int_equal(left, 2);
}

TEST(test_scale)
{
	struct cost_seen s = { .cpu_ns = 1000, .estimated_ns = 400 };

	assert_true(cost_seen_scale(&s, 1) == 1);
	assert_true(cost_seen_scale(&s, 5) == 2.5); /* no more than there was */
	s.sampled_ns = 100;
	s.sampled_probe_ns = 80;
	s.n_probes = COST_SEEN_ENOUGH - 1;
	assert_true(cost_seen_scale(&s, 1) == 1); /* too few */
	s.n_probes++;
	assert_true(cost_seen_scale(&s, 1) > 1.99 && cost_seen_scale(&s, 1) < 2.01);
	s.own_ns = 400; /* gotrace takes a processor that the program waits for */
	assert_true(cost_seen_scale(&s, 1) > 2.99 && cost_seen_scale(&s, 1) < 3.01);
	assert_true(cost_seen_share(&s) > 0.79 && cost_seen_share(&s) < 0.81);
	s.estimated_ns = 4; /* a stub of a released function, say */
	assert_true(cost_seen_scale(&s, 1) == COST_SEEN_DEAREST);
	s.n_probes = 0;
	assert_true(cost_seen_share(&s) < 0);
	s.estimated_ns = 0;
	assert_true(cost_seen_scale(&s, 7) == 7);
}

TESTS(test_exceeded, test_choose, test_more_than_all, test_scale)

// SPDX-License-Identifier: BSD-2-Clause
/* Phases of a recording add up, and get into the trace. */

#include "base/test_fixture.h"
#include "attach/phases.h"
#include "base/clock.h"
#include "trace/keys.h"

TEST(test_add_up)
{
	const uint64_t start = clock_monotonic_ns();
	struct phases p = { 0 };

	phases_begin(&p);
	assert_true(p.last_ns >= start);
	for (enum phase k = 0; k < PHASES; k++)
		phases_done(&p, k);
	phases_done(&p, PHASE_PLAN); /* a second part of it */
	uint64_t set_up_ns = phases_set_up_ns(&p), sum_ns = set_up_ns;

	for (enum phase k = PHASE_DETACH; k < PHASES; k++)
		sum_ns += p.ns[k];
	assert_true(sum_ns <= p.last_ns - start);
	assert_true(sum_ns > 0);
}

TEST(test_keys)
{
	const struct phases p = { .ns = { [PHASE_BINARY] = 5,
					  [PHASE_PATCH] = 7,
					  [PHASE_DETACH] = 9,
					  [PHASE_COLLECT] = 10,
					  [PHASE_WRITE] = 11 } };
	struct trace_info end = { 0 };

	assert_int_equal(phases_describe(&p, &end), 0);
	assert_int_equal(trace_info_u64(&end, KEY_END_SET_UP_NS, 0), 12);
	assert_int_equal(trace_info_u64(&end, KEY_END_PHASE "binary_ns", 0), 5);
	assert_int_equal(trace_info_u64(&end, KEY_END_PHASE "patch_ns", 0), 7);
	assert_int_equal(trace_info_u64(&end, KEY_END_PHASE "detach_ns", 0), 9);
	assert_int_equal(trace_info_u64(&end, KEY_END_PHASE "collect_ns", 0), 10);
	assert_int_equal(trace_info_u64(&end, KEY_END_PHASE "write_ns", 0), 11);
	assert_null(trace_info_get(&end, KEY_END_PHASE "plan_ns"));
	trace_info_free(&end);
}

TEST(test_names)
{
	for (enum phase k = 0; k < PHASES; k++)
		assert_non_null(phase_name(k));
}

TESTS(test_add_up, test_keys, test_names)

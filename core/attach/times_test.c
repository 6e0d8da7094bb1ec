// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel says of all processors, and which keys follow from it. */

#include "base/test_fixture.h"
#include "attach/times.h"
#include "trace/keys.h"

TEST(test_parse)
{
	struct host_time t = host_time_parse("cpu  1 20 300 4000 50000 6 70 800 9 9\ncpu0 1\n", 10);

	assert_int_equal(t.busy_ns, 11970);
	assert_int_equal(t.idle_ns, 540000);
	t = host_time_parse("", 10);
	assert_true(!t.busy_ns && !t.idle_ns);
	t = host_time_parse("cpu 1 2 3", 10);
	assert_true(!t.busy_ns && !t.idle_ns);
}

TEST(test_keys)
{
	struct times t = { .delay = { .told = true, .ns = 70, .times = 9 },
			   .delay_before_ns = 30,
			   .delays_before = 4,
			   .host_before = { .busy_ns = 100, .idle_ns = 50 },
			   .host_after = { .busy_ns = 180, .idle_ns = 50 } };
	struct trace_info end = { 0 };

	assert_int_equal(times_describe(&t, &end), 0);
	assert_int_equal(trace_info_u64(&end, KEY_END_TARGET_RUN_DELAY_NS, 1), 40);
	assert_int_equal(trace_info_u64(&end, KEY_END_TARGET_RUN_DELAYS, 1), 5);
	assert_int_equal(trace_info_u64(&end, KEY_END_HOST_BUSY_NS, 1), 80);
	assert_int_equal(trace_info_u64(&end, KEY_END_HOST_IDLE_NS, 1), 0);
	trace_info_free(&end);
}

/* What is not known is left out. */
TEST(test_unknown)
{
	struct times t = { .delay = { .ns = 70 }, .host_before = { .busy_ns = 100 } };
	struct trace_info end = { 0 };

	assert_int_equal(times_describe(&t, &end), 0);
	assert_null(trace_info_get(&end, KEY_END_TARGET_RUN_DELAY_NS));
	assert_null(trace_info_get(&end, KEY_END_TARGET_RUN_DELAYS));
	assert_null(trace_info_get(&end, KEY_END_HOST_BUSY_NS));
	assert_null(trace_info_get(&end, KEY_END_HOST_IDLE_NS));
	trace_info_free(&end);
}

TESTS(test_parse, test_keys, test_unknown)

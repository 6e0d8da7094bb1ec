// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "trace/stops.h"
#include "trace/keys.h"

static void set(struct trace_info *t, const char *key, const char *value)
{
	assert_int_equal(trace_info_set(t, key, value), 0);
}

static void says(const struct trace_info *t, const char *want)
{
	char is[STOPS_BYTES];

	assert_true(stops_say(t, is));
	assert_string_equal(is, want);
}

TEST(longest_and_sum)
{
	struct trace_info t = { 0 };
	char buf[STOPS_BYTES];

	assert_false(stops_say(&t, buf)); /* launched */
	set(&t, KEY_END_PAUSE_NS, "5000000");
	set(&t, KEY_END_PAUSES, "1");
	set(&t, KEY_END_PUT_BACK_PAUSE_NS, "0");
	says(&t, "5.00ms"); /* a trace of an older gotrace, or a process that ended */
	set(&t, KEY_END_PAUSE_SUM_NS, "5000000");
	says(&t, "5.00ms");
	set(&t, KEY_END_PAUSES, "9");
	set(&t, KEY_END_PAUSE_SUM_NS, "40000000");
	says(&t, "5.00ms at most, 40.0ms in 9 stops");
	set(&t, KEY_END_PUT_BACK_PAUSE_NS, "21000000");
	set(&t, KEY_END_PUT_BACK_PAUSES, "3");
	set(&t, KEY_END_PUT_BACK_PAUSE_SUM_NS, "50000000");
	says(&t, "21.0ms at most, 90.0ms in 12 stops");
	set(&t, KEY_END_PAUSES, "18446744073709551615"); /* a stranger's */
	set(&t, KEY_END_PAUSE_SUM_NS, "18446744073709551615");
	says(&t, "21.0ms at most, 50.0ms in 2 stops");
	trace_info_free(&t);
}

TESTS(longest_and_sum)

// SPDX-License-Identifier: BSD-2-Clause
/* The slowest calls are those that took longest, whatever came when, and say what they did. */

#include "base/test_fixture.h"
#include "export/html/html_slow.h"

static void put(struct html_slow *s, uint32_t func, uint64_t order, uint64_t ns,
		const struct call_states *states)
{
	html_slow_call(s, 8,
		       &(struct call){ .start_ns = 1000,
				       .end_ns = 1000 + ns,
				       .goid = order,
				       .order = order,
				       .func = func,
				       .states = states });
}

TEST(keeps_the_slowest)
{
	struct html_slow s = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		put(&s, 3, i, 1 + i * 7919 % 1000, NULL); /* each of 1 to 1000 once */
		if (i % 300 == 200)
			html_slow_sort(&s);
	}
	put(&s, 4, 1000, 5, NULL);
	put(&s, 4, 1001, 5, NULL);
	put(&s, 4, 1002, 0, NULL); /* took no time */
	put(&s, 99, 1003, 5, NULL);
	assert_int_equal(html_slow_finish(&s), 0);
	assert_int_equal(s.funcs[3].n, HTML_SLOW);
	for (size_t i = 0; i < HTML_SLOW; i++)
		assert_int_equal(s.funcs[3].calls[i].ns, 1000 - i);
	assert_int_equal(s.funcs[3].all_ns, 1000 * 1001 / 2);
	assert_int_equal(s.funcs[4].n, 2); /* of those alike, the first */
	assert_int_equal(s.funcs[4].calls[0].id, 1000);
	assert_int_equal(s.funcs[0].n, 0);
	html_slow_free(&s);
}

/* Of nine things that it did the six longest; what it ran is what is left of its time. */
TEST(tells_what_it_did)
{
	const struct call_wait waits[] = {
		{ 0, 40, 7 }, { 0, 1, 8 }, { 0, 300, 9 }, { 0, 2, 10 }, { 0, 3, 11 }
	};
	const struct call_states states = {
		.total = { .runnable_ns = 50, .wait_ns = 346, .syscall_ns = 20, .off_cpu_ns = 10 },
		.waits = waits,
		.n_waits = 5
	};
	const struct html_part want[HTML_PARTS] = {
		{ STATE_RUNNING, 574 }, { STATE_DEPTH(STATE_WAITING, 9), 300 },
		{ STATE_RUNNABLE, 50 }, { STATE_DEPTH(STATE_WAITING, 7), 40 },
		{ STATE_SYSCALL, 20 },  { STATE_OFF_CPU, 10 },
	};
	struct html_slow s = { 0 };

	put(&s, 1, 1, 1000, &states);
	put(&s, 1, 2, 100, &states); /* more than all its time: it did not run */
	assert_int_equal(html_slow_finish(&s), 0);
	const struct html_slow_call *c = s.funcs[1].calls;

	assert_int_equal(c[0].n_parts, HTML_PARTS);
	for (size_t i = 0; i < HTML_PARTS; i++) {
		assert_int_equal(c[0].parts[i].what, want[i].what);
		assert_int_equal(c[0].parts[i].ns, want[i].ns);
	}
	assert_int_equal(c[1].parts[0].what, STATE_DEPTH(STATE_WAITING, 9));
	html_slow_free(&s);
}

TESTS(keeps_the_slowest, tells_what_it_did)

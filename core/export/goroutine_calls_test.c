// SPDX-License-Identifier: BSD-2-Clause
/* Which goroutines' calls an export takes that cannot have all. */

#include "base/test_fixture.h"
#include "export/goroutine_calls.h"

static struct calls_of_one all[] = {
	{ .n = 10, .ran_ns = 5 }, { .n = 90, .ran_ns = 50 }, { .n = 20, .ran_ns = 40 },
	{ .n = 30, .ran_ns = 0 }, { .n = 5, .ran_ns = 40 },
};
#define N (sizeof(all) / sizeof(all[0]))

/* `want` has a 1 for each that is to be chosen. */
static void check(size_t many, size_t most, size_t calls, const char *want)
{
	struct goroutine_calls g = { .all = all, .n = N };
	size_t n = 0;

	for (size_t i = 0; i < N; i++) {
		all[i].chosen = false;
		n += want[i] == '1';
	}
	assert_int_equal(goroutine_calls_choose(&g, many, most, calls), n);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(all[i].chosen, want[i] == '1');
}

TEST(test_choose)
{
	check(N, 2, 155, "11111");
	check(N - 1, 2, 155, "01100"); /* too many goroutines: the two that ran most */
	check(N, 2, 154, "01100");     /* too many calls */
	check(N, 3, 89, "10101");      /* the one that ran most does not fit */
	check(N, 5, 4, "00000");       /* none does */
	check(N, 4, 110, "01100");
}

TESTS(test_choose)

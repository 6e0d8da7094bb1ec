/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmocka for a file of tests. A test stands in two places:
 *
 *     TEST(counts_calls)
 *     {
 *             assert_int_equal(...);
 *     }
 *
 *     TESTS(counts_calls, counts_goroutines)
 *
 * A test that needs its state is a function with a parameter `void **state`. TESTS takes it, too.
 * Where tests of one file have different set-ups, main has cmocka's own table.
 */
#ifndef GOTRACE_TEST_FIXTURE_H
#define GOTRACE_TEST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Begins a test. */
#define TEST(name) static void name(void **state __attribute__((unused)))
/* Begins a function that runs before or after tests. It returns 0 if it could do its work. */
#define FIXTURE(name) static int name(void **state __attribute__((unused)))

/* Defines main, which runs these tests in this order, at most 256. */
#define TESTS(...) UNIT_TESTS(NULL, NULL, NULL, NULL, __VA_ARGS__)
/* Also runs a function before the first test, and one after the last. NULL: none. */
#define TESTS_BETWEEN(set_up, tear_down, ...) UNIT_TESTS(set_up, tear_down, NULL, NULL, __VA_ARGS__)
/* Also runs a function before each test, and one after it. NULL: none. */
#define TESTS_EACH(set_up, tear_down, ...) UNIT_TESTS(NULL, NULL, set_up, tear_down, __VA_ARGS__)

/* Returns the step of a test through a long list of cases: it runs one case of so many. With
 * GOTRACE_TEST_WHOLE=1 (ci/nightly.sh) it runs all. */
static inline unsigned test_one_of(unsigned plain, unsigned sanitized)
{
	if (getenv("GOTRACE_TEST_WHOLE"))
		return 1;
#ifdef __SANITIZE_ADDRESS__
	(void)plain;
	return sanitized;
#else
	(void)sanitized;
	return plain;
#endif
}

#define UNIT_TESTS(first, last, before, after, ...)                \
	int main(void)                                             \
	{                                                          \
		const struct CMUnitTest tests[] = { UNIT_EXPAND(   \
			UNIT_LIST(before, after, __VA_ARGS__)) };  \
		return cmocka_run_group_tests(tests, first, last); \
	}
/* Makes an element, and asks for the rest by way of UNIT_AGAIN. Each expansion adds one element. */
#define UNIT_LIST(before, after, test, ...)                  \
	cmocka_unit_test_setup_teardown(test, before, after) \
		__VA_OPT__(, UNIT_AGAIN UNIT_CALL(before, after, __VA_ARGS__))
#define UNIT_AGAIN()     UNIT_LIST
#define UNIT_CALL        ()
#define UNIT_EXPAND(...) UNIT_64(UNIT_64(UNIT_64(UNIT_64(__VA_ARGS__))))
#define UNIT_64(...)     UNIT_16(UNIT_16(UNIT_16(UNIT_16(__VA_ARGS__))))
#define UNIT_16(...)     UNIT_4(UNIT_4(UNIT_4(UNIT_4(__VA_ARGS__))))
#define UNIT_4(...)      __VA_ARGS__

#endif

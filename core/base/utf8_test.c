// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"

static void test_len(void **state)
{
	static const struct {
		const char *s;
		int n;
	} cases[] = {
		{ "", 1 },
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\xc3\xa4", 2 },
		{ "\xe2\x82\xac", 3 },
		{ "\xf0\x9f\x98\x80", 4 },
		{ "\xc3", 0 },
		{ "\xc3(", 0 },
		{ "\x80", 0 },
		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xe2\x82", 0 },
		{ "\xff", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(utf8_len(cases[i].s), cases[i].n);
}

static void test_copy(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "main.f", "main.f" },
		{ "a.\xc3\xa4", "a.\xc3\xa4" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "a\xc3", "a\xef\xbf\xbd" },
		{ "\xe2\x82x", "\xef\xbf\xbd\xef\xbf\xbdx" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *copy = utf8_copy(cases[i][0]);

		assert_string_equal(copy, cases[i][1]);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_len),
					    cmocka_unit_test(test_copy) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

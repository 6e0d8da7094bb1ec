// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/utf8.h"

TEST(test_len)
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(utf8_len(cases[i].s), cases[i].n);
}

TEST(test_copy)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "main.f", "main.f" },
		{ "a.\xc3\xa4", "a.\xc3\xa4" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "a\xc3", "a\xef\xbf\xbd" },
		{ "\xe2\x82x", "\xef\xbf\xbd\xef\xbf\xbdx" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *copy = utf8_copy(cases[i][0]);

		assert_string_equal(copy, cases[i][1]);
		free(copy);
	}
}

TESTS(test_len, test_copy)

// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/glob.h"

static void matches(void **state)
{
	(void)state;
	assert_true(glob_match("", ""));
	assert_true(glob_match("*", ""));
	assert_true(glob_match("main.*", "main.(*T).Run"));
	assert_true(glob_match("*/ants/*.Submit", "github.com/panjf2000/ants/v2.(*Pool).Submit"));
	assert_true(glob_match("main.F[go.shape.int]", "main.F[go.shape.int]"));
	assert_true(glob_match("a?c*e", "abcde"));
	assert_true(glob_match("*aab", "aaaaaab"));
}

static void does_not_match(void **state)
{
	(void)state;
	assert_false(glob_match("", "a"));
	assert_false(glob_match("main.F[a-z]", "main.Fb"));
	assert_false(glob_match("main.*", "mainx"));
	assert_false(glob_match("?", ""));
	assert_false(glob_match("a", "ab"));
	assert_false(glob_match("*b", "ba"));
}

/* Backtracking must not explode. */
static void many_stars(void **state)
{
	char s[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(s) - 1; i++)
		s[i] = 'a';
	s[sizeof(s) - 1] = '\0';
	assert_false(glob_match("*a*a*a*a*a*a*a*a*b", s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
		cmocka_unit_test(does_not_match),
		cmocka_unit_test(many_stars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

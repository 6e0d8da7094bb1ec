// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "base/glob.h"

TEST(matches)
{
	assert_true(glob_match("", ""));
	assert_true(glob_match("*", ""));
	assert_true(glob_match("main.*", "main.(*T).Run"));
	assert_true(glob_match("*/ants/*.Submit", "github.com/panjf2000/ants/v2.(*Pool).Submit"));
	assert_true(glob_match("main.F[go.shape.int]", "main.F[go.shape.int]"));
	assert_true(glob_match("a?c*e", "abcde"));
	assert_true(glob_match("*aab", "aaaaaab"));
}

TEST(does_not_match)
{
	assert_false(glob_match("", "a"));
	assert_false(glob_match("main.F[a-z]", "main.Fb"));
	assert_false(glob_match("main.*", "mainx"));
	assert_false(glob_match("?", ""));
	assert_false(glob_match("a", "ab"));
	assert_false(glob_match("*b", "ba"));
}

/* Backtracking must not explode. */
TEST(many_stars)
{
	char s[4096];

	for (size_t i = 0; i < sizeof(s) - 1; i++)
		s[i] = 'a';
	s[sizeof(s) - 1] = '\0';
	assert_false(glob_match("*a*a*a*a*a*a*a*a*b", s));
}

TESTS(matches, does_not_match, many_stars)

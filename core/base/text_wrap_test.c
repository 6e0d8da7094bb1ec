// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/text_wrap.h"

static void wraps_to(const char *s, unsigned width, unsigned hanging, const char *expected)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	text_wrap(f, s, width, hanging);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

TEST(test_words_stay_whole)
{
	wraps_to("", 20, 2, "\n");
	wraps_to("one two three", 0, 2, "one two three\n");
	wraps_to("one two three", 13, 2, "one two three\n");
	wraps_to("one two three", 12, 2, "one two\n  three\n");
	wraps_to("one two three", 9, 2, "one two\n  three\n");
	wraps_to("one two three", 3, 0, "one\ntwo\nthree\n");
	wraps_to("  indented words here", 10, 4, "  indented\n    words\n    here\n");
}

TEST(test_long_words)
{
	wraps_to("a github.com/long/name b", 8, 2, "a\n  github.com/long/name\n  b\n");
	wraps_to("github.com/long/name", 8, 2, "github.com/long/name\n");
	wraps_to("a b", 1, 7, "a\nb\n");
}

/* Characters count, not bytes; what would reach the terminal's own language is written out. */
TEST(test_columns)
{
	assert_int_equal(text_columns("≈1.2s"), 5);
	wraps_to("≈≈ ≈≈", 5, 0, "≈≈ ≈≈\n");
	wraps_to("≈≈ ≈≈", 4, 0, "≈≈\n≈≈\n");
	wraps_to("a\033[1m b", 8, 0, "a\\x1b[1m\nb\n");
}

TEST(test_lines)
{
	char text[] = "a: one two\n\nb\n", *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	text_wrap_lines(out, text, 8, 3);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(got, "a: one\n   two\n\nb\n");
	free(got);
}

TESTS(test_words_stay_whole, test_long_words, test_columns, test_lines)

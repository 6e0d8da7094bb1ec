// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

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

static void test_words_stay_whole(void **state)
{
	(void)state;
	wraps_to("", 20, 2, "\n");
	wraps_to("one two three", 0, 2, "one two three\n");
	wraps_to("one two three", 13, 2, "one two three\n");
	wraps_to("one two three", 12, 2, "one two\n  three\n");
	wraps_to("one two three", 9, 2, "one two\n  three\n");
	wraps_to("one two three", 3, 0, "one\ntwo\nthree\n");
	wraps_to("  indented words here", 10, 4, "  indented\n    words\n    here\n");
}

static void test_long_words(void **state)
{
	(void)state;
	wraps_to("a github.com/long/name b", 8, 2, "a\n  github.com/long/name\n  b\n");
	wraps_to("github.com/long/name", 8, 2, "github.com/long/name\n");
	wraps_to("a b", 1, 7, "a\nb\n");
}

/* Characters count, not bytes; what would reach the terminal's own language is written out. */
static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(text_columns("≈1.2s"), 5);
	wraps_to("≈≈ ≈≈", 5, 0, "≈≈ ≈≈\n");
	wraps_to("≈≈ ≈≈", 4, 0, "≈≈\n≈≈\n");
	wraps_to("a\033[1m b", 8, 0, "a\\x1b[1m\nb\n");
}

static void test_lines(void **state)
{
	char text[] = "a: one two\n\nb\n", *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	(void)state;
	text_wrap_lines(out, text, 8, 3);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(got, "a: one\n   two\n\nb\n");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_stay_whole),
		cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

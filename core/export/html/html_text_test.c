// SPDX-License-Identifier: BSD-2-Clause
/* Numbers as text, in digits of five bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "export/html/html.h"

static void numbers_are_text(void **state)
{
	static const struct {
		uint64_t v;
		const char *text;
	} cases[] = {
		{ 0, "A" },
		{ 1, "B" },
		{ 31, "f" },
		{ 32, "gB" },
		{ 1023, "_f" },
		{ 1024, "ggB" },
		{ UINT64_MAX, "____________P" },
	};
	struct html_text t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		t.n = 0;
		html_put(&t, cases[i].v);
		assert_string_equal(t.s, cases[i].text);
	}
	free(t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_are_text) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

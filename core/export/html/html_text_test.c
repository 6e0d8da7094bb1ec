// SPDX-License-Identifier: BSD-2-Clause
/* Numbers as text, in digits of five bits. */
#include <stdlib.h>

#include "base/test_fixture.h"
#include "export/html/html.h"

TEST(numbers_are_text)
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		t.n = 0;
		html_put(&t, cases[i].v);
		assert_string_equal(t.s, cases[i].text);
	}
	free(t.s);
}

TESTS(numbers_are_text)

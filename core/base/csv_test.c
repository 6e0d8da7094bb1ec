// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/csv.h"

TEST(test_fields)
{
	static const struct {
		const char *name, *field;
	} cases[] = {
		{ "main.f", "main.f" },
		{ "", "" },
		{ "main.F[int,string]", "\"main.F[int,string]\"" },
		{ "main.\"q\"", "\"main.\"\"q\"\"\"" },
		{ "main.größe", "main.größe" },
		{ "a\nb\r\x1b[2J\x7f\xc2\x9b\xff", "a\\x0ab\\x0d\\x1b[2J\\x7f\\x9b\\xff" },
		{ "a\u202eb\u2066", "a\\u202eb\\u2066" },
		/* no formula of a spreadsheet */
		{ "=1+1", "'=1+1" },
		{ "+x,y", "\"'+x,y\"" },
		{ "-x", "'-x" },
		{ "@x", "'@x" },
		{ "x=1", "x=1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		csv_field(out, cases[i].name);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, cases[i].field);
		free(text);
	}
}

TESTS(test_fields)

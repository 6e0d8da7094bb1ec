// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons on terminals of all widths: no line is wider, but for a word that is. */
#include <stdio.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "report/diff_formats.h"
#include "report/report_formats.h"
#include "report/report_fixture.h"

static char *compare(const char *a, const char *b, unsigned width)
{
	struct trace_reader *const r[2] = { trace_reader_open(a), trace_reader_open(b) };
	const struct diff_options opt = { .width = width,
					  .min_ns = 1,
					  .file = { "a.gotrace", "b.gotrace" } };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(out && r[0] && r[1]);
	assert_int_equal(diff_text(r, &opt, out), 0);
	trace_reader_close(r[0]);
	trace_reader_close(r[1]);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(test_widths)
{
	static const char *const pairs[][2] = { { "answers/evict", "answers/lock" },
						{ "answers/lock", "answers/workers" },
						{ "traces/chain.go1.27.thesis",
						  "traces/panics.thesis" },
						{ "samples/walls", "samples/walls" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (unsigned width = 80; width <= 160; width += 20) {
			char a[128], b[128];

			snprintf(a, sizeof(a), "fixtures/%s.gotrace", pairs[i][0]);
			snprintf(b, sizeof(b), "fixtures/%s.gotrace", pairs[i][1]);
			char *text = compare(a, b, width);

			fixture_fits(a, text, width);
			free(text);
		}
}

TESTS(test_widths)

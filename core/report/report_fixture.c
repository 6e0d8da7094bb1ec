// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report_fixture.h"

char *fixture_report(const char *path, const char *format, const struct report_options *opt)
{
	const struct report_format *f = report_formats;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct trace_reader *r = trace_reader_open(path);

	assert_true(out && r);
	while (f->name && strcmp(f->name, format))
		f++;
	assert_non_null(f->name);
	assert_int_equal(f->write(r, opt, out), 0);
	trace_reader_close(r);
	assert_int_equal(fclose(out), 0);
	return text;
}

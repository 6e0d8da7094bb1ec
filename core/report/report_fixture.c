// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text_wrap.h"
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

char *fixture_columns(const char *csv)
{
	FILE *in = fopen(csv, "r");
	char *line = NULL;
	size_t size = 0;
	const ssize_t n = in ? getline(&line, &size, in) : -1;
	const char *list = n > 0 ? strchr(line, ',') : NULL;
	char *columns = list ? strndup(list + 1, strcspn(list + 1, "\r\n")) : NULL;

	free(line);
	if (in)
		fclose(in);
	return columns;
}

void fixture_fits(const char *path, const char *text, unsigned width)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		/* A word, and a command to copy, stay whole. */
		if (text_columns(line) > width && strchr(line + strspn(line, " "), ' ') &&
		    strncmp(line, "next: gotrace ", 14) != 0 &&
		    strncmp(line, "      gotrace ", 14) != 0)
			fail_msg("%s at %u columns: %s", path, width, line);
		free(line);
		text += n + (text[n] == '\n');
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/* A number that could be wrong is marked before it is read, and never stands first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "report/report_fixture.h"

/* main.dense is entered a hundred times for 1,900 ns each, of which its probes take 1,000;
 * main.sure once for so many ns. */
static char *report(unsigned sure_ns, const char *format, const char *keys,
		    const struct report_options *opt)
{
	char path[TRACE_PATH_BYTES], *events = malloc(100 * 120 + 1000), *p = events;
	unsigned ns = 1000;

	assert_non_null(events);
	p += sprintf(p, "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n%s", keys);
	for (unsigned i = 0; i < 100; i++) {
		p += sprintf(p, "1 entry main.dense 100 %u how=emulated\n", ns);
		p += sprintf(p, "1 exit main.dense 100 %u how=emulated\n", ns += 1900);
	}
	p += sprintf(p, "1 entry main.sure 100 %u how=emulated\n", ns);
	sprintf(p, "1 exit main.sure 100 %u how=emulated\n", ns + sure_ns);
	fixture_write_text(events, true, path);
	free(events);
	char *text = fixture_report(path, format, opt ? opt : &(struct report_options){ 0 });

	unlink(path);
	return text;
}

/* The first line that names a function names this one. */
static void first_is(const char *text, const char *name)
{
	const char *dense = strstr(text, "main.dense"), *sure = strstr(text, "main.sure");

	assert_true(dense && sure);
	assert_true(strcmp(name, "main.sure") ? dense < sure : sure < dense);
}

TEST(test_first)
{
	static const char *const formats[] = { "text", "csv", "json" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *text = report(50000, formats[i], "", NULL);

		first_is(text, "main.sure");
		assert_null(strstr(text, "which function took the most time"));
		if (!i)
			assert_non_null(strstr(text, "≈90.0us"));
		free(text);
	}
}

/* CSV has the table's mark as a number, for functions and for paths. */
TEST(test_columns)
{
	char *text = report(50000, "csv", "", &(struct report_options){ .columns = "doubtful" });

	assert_string_equal(text, "function,doubtful\nmain.sure,0\nmain.dense,1\n");
	free(text);
	text = report(50000, "csv", "",
		      &(struct report_options){ .by = BY_PATH, .columns = "doubtful" });
	assert_string_equal(text, "path,doubtful\nmain.dense,1\nmain.sure,0\n");
	free(text);
	/* nothing was corrected */
	text = report(50000, "csv", "",
		      &(struct report_options){ .raw = true, .columns = "doubtful" });
	assert_string_equal(text, "function,doubtful\nmain.dense,\nmain.sure,\n");
	free(text);
	text = report(50000, "json", "", &(struct report_options){ 0 });
	assert_non_null(strstr(text, "\"doubtful\": 1"));
	assert_non_null(strstr(text, "\"doubtful\": 0"));
	free(text);
}

/* No row is certain: that comes before any number, with what can tell. */
TEST(test_none)
{
	char *text = report(1500, "text", "@set command ./server -p 1\n", NULL);

	assert_true(strstr(text, "it is not known which function took the most time") == text);
	assert_non_null(strstr(text, "gotrace sample -- ./server -p 1"));
	free(text);
}

/* JSON has that sentence under a key, and no answer. */
TEST(test_json)
{
	char *text = report(1500, "json", "@set command ./server -p 1\n", NULL);

	assert_non_null(strstr(text, "\"answer\": null"));
	assert_non_null(strstr(
		text, "\"cannot_tell\": \"it is not known which function took the most time"));
	assert_non_null(strstr(text, "gotrace sample -- ./server -p 1, or select fewer functions"));
	free(text);
	text = report(50000, "json", "", NULL);
	assert_non_null(strstr(text, "\"cannot_tell\": null"));
	free(text);
}

/* A certain row of a few per cent is no answer where most of the time could be wrong. */
TEST(test_hidden)
{
	char *text = report(9000, "text", "", NULL);

	assert_true(strstr(text, "it is not known which function took the most time") == text);
	first_is(text, "main.dense");
	free(text);
	text = report(12000, "text", "", NULL);
	first_is(text, "main.sure");
	free(text);
}

TESTS(test_first, test_columns, test_none, test_json, test_hidden)

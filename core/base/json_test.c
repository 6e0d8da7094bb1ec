// SPDX-License-Identifier: BSD-2-Clause
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/json.h"

TEST(compact)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j;

	json_init(&j, f, false);
	json_open(&j, '{');
	json_kv_str(&j, "a\"b", "line\nwith \\ and \x01");
	json_key(&j, "list");
	json_open(&j, '[');
	json_u64(&j, UINT64_MAX);
	json_i64(&j, -1);
	json_double(&j, NAN);
	json_bool(&j, true);
	json_null(&j);
	json_open(&j, '[');
	json_close(&j, ']');
	json_close(&j, ']');
	json_kv_u64(&j, "n", 1);
	json_close(&j, '}');
	fclose(f);
	assert_string_equal(text,
			    "{\"a\\\"b\":\"line\\u000awith \\\\ and \\u0001\","
			    "\"list\":[18446744073709551615,-1,null,true,null,[]],\"n\":1}\n");
	free(text);
}

TEST(bad_utf8)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j;

	json_init(&j, f, false);
	json_str(
		&j,
		"ok \xd0\xa8 \xe2\x82\xac bad \xff \xc0\xaf \xed\xa0\x80 cut \xe2\x82\u202e\u2069");
	fclose(f);
	assert_string_equal(text, "\"ok \xd0\xa8 \xe2\x82\xac bad \\ufffd \\ufffd\\ufffd "
				  "\\ufffd\\ufffd\\ufffd cut \\ufffd\\ufffd\\u202e\\u2069\"");
	free(text);
}

TEST(in_html)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j;

	json_init(&j, f, false);
	j.in_html = true;
	json_open(&j, '{');
	json_kv_str(&j, "<!--", "</script>");
	json_close(&j, '}');
	fclose(f);
	assert_string_equal(text, "{\"\\u003c!--\":\"\\u003c/script>\"}\n");
	free(text);
}

TEST(decimals)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j;

	json_init(&j, f, false);
	json_open(&j, '[');
	json_decimal(&j, 0, 3);
	json_decimal(&j, 1005, 3);
	json_decimal(&j, 999999, 6);
	json_decimal(&j, UINT64_MAX, 9);
	json_close(&j, ']');
	fclose(f);
	assert_string_equal(text, "[0.000,1.005,0.999999,18446744073.709551615]\n");
	free(text);
}

TESTS(compact, decimals, bad_utf8, in_html)

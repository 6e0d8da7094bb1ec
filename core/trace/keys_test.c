// SPDX-License-Identifier: BSD-2-Clause
/* The keys of keys.h and those that FORMAT.md lists are the same. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/test_fixture.h"
#include "trace/keys.h"

static char header[65536], page[65536];

static void read_text(const char *path, char *text, size_t size)
{
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	assert_true(fread(text, 1, size - 1, in) < size - 1);
	fclose(in);
}

FIXTURE(setup)
{
	read_text("core/trace/keys.h", header, sizeof(header));
	read_text("core/trace/FORMAT.md", page, sizeof(page));
	return 0;
}

static void expect_in(const char *text, const char *before, const char *key, const char *where)
{
	char quoted[80];

	snprintf(quoted, sizeof(quoted), "%s%s", before, key);
	if (!strstr(text, quoted))
		fail_msg("%s does not have the key %s", where, key);
}

TEST(test_page_has_all)
{
	const char *at = header;
	size_t n = 0;

	for (char name[48], key[48]; (at = strstr(at, "\n#define ")); n++) {
		at++;
		if (sscanf(at, "#define %47s \"%47[^\"]\"", name, key) == 2)
			expect_in(page, "`", key, "FORMAT.md");
	}
	assert_true(n > 60);
}

/* Each key of the first column of the page's last table. */
TEST(test_header_has_all)
{
	const char *at = strstr(page, "\n## Keys\n");
	size_t n = 0;

	assert_non_null(at);
	while ((at = strstr(at, "\n| `"))) {
		const char *end = strstr(at + 2, " | ");
		char key[48];

		for (const char *k = at; (k = strchr(k, '`')) && k < end;
		     k = strchr(k + 1, '`') + 1) {
			assert_int_equal(sscanf(k, "`%47[^`]`", key), 1);
			char *last = strrchr(key, '.');

			if (last && isupper((unsigned char)last[1]))
				*last = '\0'; /* such as select.package.N */
			if (!strncmp(key, KEY_WARN, strlen(KEY_WARN)))
				continue; /* written there as this prefix and the rest */
			expect_in(header, "\"", key, "keys.h");
			n++;
		}
		at = end;
	}
	assert_true(n > 55);
}

TESTS_BETWEEN(setup, NULL, test_page_has_all, test_header_has_all)

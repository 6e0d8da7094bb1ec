// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "base/file_id.h"

#include <string.h>

#define PART "-_Kp7Vq0ZzAa9YyBb8Xx"

static bool made(const char *build_id, uint8_t id[FILE_ID_GO_BYTES])
{
	memset(id, 0, FILE_ID_GO_BYTES);
	return file_id_of_go(build_id, strlen(build_id), id);
}

/* Only the last part counts, and it comes back as it was. */
TEST(of_go)
{
	uint8_t a[FILE_ID_GO_BYTES], b[FILE_ID_GO_BYTES];
	char text[FILE_ID_TEXT_BYTES];

	assert_true(made("aaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbb/" PART, a));
	assert_true(made("cccccccccccccccccccc/" PART, b));
	assert_memory_equal(a, b, sizeof(a));
	assert_true(file_id_is_go(a, sizeof(a)));
	file_id_text(a, sizeof(a), text);
	assert_string_equal(text, "go:" PART);
	assert_true(made("cccccccccccccccccccc/-_Kp7Vq0ZzAa9YyBb8Xy", b));
	assert_memory_not_equal(a, b, sizeof(a));
}

/* -ldflags=-buildid= takes any text, and many programs may have the same. */
TEST(of_a_user)
{
	static const char *const texts[] = {
		"",
		"redacted",
		PART,
		"/",
		"aaaaaaaaaaaaaaaaaaaa/",
		"aaaaaaaaaaaaaaaaaaaa/" PART "A",
		"aaaaaaaaaaaaaaaaaaaa/-_Kp7Vq0ZzAa9YyBb8X",
		"aaaaaaaaaaaaaaaaaaaa/-_Kp7Vq0ZzAa9YyBb8X=",
		"aaaaaaaaaaaaaaaaaaaa/+/Kp7Vq0ZzAa9YyBb8Xx",
	};
	uint8_t id[FILE_ID_GO_BYTES];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(made(texts[i], id));
	assert_false(file_id_of_go("aaaaaaaaaaaaaaaaaaaa/-_Kp7Vq0ZzAa9YyBb8X\0", 41, id));
}

TEST(of_the_linker)
{
	uint8_t id[FILE_ID_BYTES] = { 'G', 'o', 0xff, 1 };
	char text[FILE_ID_TEXT_BYTES];

	assert_false(file_id_is_go(id, 0));
	assert_false(file_id_is_go(id, sizeof(id)));
	file_id_text(id, 0, text);
	assert_string_equal(text, "");
	file_id_text(id, sizeof(id), text);
	assert_string_equal(text, "476fff0100000000000000000000000000000000");
	id[0] = 0;
	assert_false(file_id_is_go(id, FILE_ID_GO_BYTES));
}

TESTS(of_go, of_a_user, of_the_linker)

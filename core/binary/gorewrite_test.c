// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/gorewrite.h"
#include "binary/binaries_fixture.h"

struct found {
	const char *const *names;
	unsigned n[8], others, all;
};

static void count(void *ctx, const struct gofunc *f)
{
	struct found *to = ctx;

	to->all++;
	for (size_t i = 0; to->names[i]; i++)
		if (strcmp(to->names[i], f->name) == 0) {
			to->n[i]++;
			return;
		}
	to->others++;
}

static const char *const builds[] = { "mocks", "mocks.noinline", "mocks.pie.stripped" };

/* By assembly, and by package syscall; making memory executable is not meant, nor is passing on. */
TEST(writers)
{
	static const char *const names[] = { "main.write", "main.overwrite", NULL };

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct gobin *b = open_binary(builds[i]);
		struct found found = { .names = names };

		gobin_text_writers(b, count, &found);
		assert_true(found.n[0] > 0);
		assert_true(found.n[1] > 0);
		assert_int_equal(found.others, 0);
		gobin_close(b);
	}
}

TEST(no_writers)
{
	static const char *const none[] = { NULL }, *const plain[] = { "kinds", "cgo", "user",
								       "values" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		struct gobin *b = open_binary(plain[i]);
		struct found found = { .names = none };

		gobin_text_writers(b, count, &found);
		assert_int_equal(found.all, 0);
		gobin_close(b);
	}
}

/* A func value and a method are data that holds their address; of what is only called there is
 * none. */
TEST(taken)
{
	static const char *const names[] = { "main.target", "main.(*mocked).Method",
					     "main.plain",  "main.hook",
					     "main.help",   NULL };

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct gobin *b = open_binary(builds[i]);
		struct found found = { .names = names };

		gobin_taken_funcs(b, count, &found);
		for (size_t k = 0; names[k]; k++)
			if ((found.n[k] > 0) != (k < 2))
				fail_msg("%s: %s was found %u times", builds[i], names[k],
					 found.n[k]);
		gobin_close(b);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, writers, no_writers, taken)

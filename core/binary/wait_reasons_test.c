// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/wait_reasons.h"

#include "binary/binaries_fixture.h"
#include "binary/gobin_impl.h"

/* The tables were made from Go's sources: where the binary shows its strings both are the same. */
TEST(test_binary_and_table_agree)
{
	struct gobin *b = open_binary("kinds");
	struct wait_reasons read, table;

	assert_int_equal(wait_reasons_of(b, &read), 0);
	assert_true(read.from_binary);
	assert_int_equal(wait_reason_named(&read, "sleep") != 0, 1);
	assert_int_equal(wait_reason_named(&read, "no such reason"), 0);
	/* A binary that lacks the function: the table. */
	for (size_t i = 0; i < b->n_funcs; i++)
		if (!strcmp(b->funcs[i].name, "runtime.waitReason.String"))
			b->funcs[i].size = 1;
	assert_int_equal(wait_reasons_of(b, &table), 0);
	assert_false(table.from_binary);
	assert_int_equal(table.n, read.n);
	for (unsigned i = 0; i < read.n; i++)
		assert_string_equal(read.text[i], table.text[i]);
	b->minor = 99;
	assert_int_equal(wait_reasons_of(b, &table), -ENOENT);
	gobin_close(b);
}

TEST(test_every_variant)
{
	static const char *const variants[] = { "kinds.pie.stripped", "kinds.stripped", "cgo" };

	for (unsigned i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct gobin *b = open_binary(variants[i]);
		struct wait_reasons w;

		assert_int_equal(wait_reasons_of(b, &w), 0);
		assert_true(wait_reason_named(&w, "chan receive"));
		assert_true(wait_reason_named(&w, "preempted"));
		assert_string_equal(w.text[0], "");
		gobin_close(b);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, test_binary_and_table_agree, test_every_variant)

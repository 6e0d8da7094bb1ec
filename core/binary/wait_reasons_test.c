// SPDX-License-Identifier: BSD-2-Clause
#include "binary/wait_reasons.h"

#include "binary/binaries_fixture.h"
#include "binary/gobin_impl.h"

/* The tables were made from Go's sources: where the binary shows its strings both are the same. */
static void test_binary_and_table_agree(void **state)
{
	struct gobin *b = open_binary("kinds");
	struct wait_reasons read, table;

	(void)state;
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

static void test_every_variant(void **state)
{
	static const char *const variants[] = { "kinds.pie.stripped", "kinds.stripped", "cgo" };

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binary_and_table_agree),
		cmocka_unit_test(test_every_variant),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}

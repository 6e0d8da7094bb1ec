// SPDX-License-Identifier: BSD-2-Clause
/* The memory that tables say they take is about what malloc gave. */

#include <malloc.h>
#include <stdio.h>

#include "base/test_fixture.h"
#include "trace/samples.h"

static uint64_t in_use(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void add(struct sample_tables *t, uint32_t i)
{
	const uint64_t pcs[40] = { 0x1000 + i };
	const struct sample_frame frames[3] = { { .symbol = i } };
	const char *const key[] = { "key" };
	char name[64];
	const char *value[] = { name };

	snprintf(name, sizeof(name), "example.org/some/package.Function%u", i);
	assert_int_equal(
		sample_tables_process(t, &(struct sample_process){ .pid = i, .exe = name }), 0);
	assert_int_equal(
		sample_tables_image(t, &(struct sample_image){ .process = i, .path = name }), 0);
	assert_int_equal(
		sample_tables_stack(t, &(struct sample_stack){ .process = i, .n = 40, .pcs = pcs }),
		0);
	assert_int_equal(sample_tables_symbol(t, &(struct sample_symbol){ .name = name }), 0);
	assert_int_equal(sample_tables_location(t, &(struct sample_location){ .pc = i,
									      .process = i,
									      .n = 3,
									      .frames = frames }),
			 0);
	assert_int_equal(sample_tables_labels(t, &(struct sample_labels){ .n = 1,
									  .keys = key,
									  .values = value }),
			 0);
}

TEST(test_as_much)
{
	struct sample_tables t = { 0 };
	const uint64_t before = in_use();

	for (uint32_t i = 0; i < 10000; i++)
		add(&t, i);
	const uint64_t took = in_use() - before;

	assert_true(t.bytes > 4 << 20);
	if (took) { /* else another malloc, as a sanitizer's */
		assert_true(t.bytes > took / 2);
		assert_true(t.bytes < 2 * took);
	}
	sample_tables_free(&t);
	assert_int_equal(t.bytes, 0);
}

TESTS(test_as_much)

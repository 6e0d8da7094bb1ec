// SPDX-License-Identifier: BSD-2-Clause
/* The image at an address, against looking at all of them. */
#include "base/test_fixture.h"
#include "trace/image_index.h"
#include "trace/sample_trace_fixture.h"
#include "trace/samples.h"

static uint32_t look_at_all(const struct sample_image *images, size_t n, uint32_t process,
			    uint64_t pc)
{
	for (size_t i = n; i-- > 0;)
		if (images[i].process == process && pc >= images[i].start && pc < images[i].end)
			return (uint32_t)i;
	return TRACE_NONE;
}

TEST(test_random)
{
	struct sample_image images[40];
	uint64_t seed = sample_seed("image_index");

	for (unsigned round = 0; round < 2000; round++) {
		const size_t n = sample_random(&seed) % 40;
		struct image_index x = { 0 };

		for (size_t i = 0; i < n; i++) {
			const uint64_t start = sample_random(&seed) % 60;

			images[i] = (struct sample_image){
				.process = (uint32_t)(sample_random(&seed) % 3),
				.start = start,
				.end = start + sample_random(&seed) % 30
			};
		}
		assert_int_equal(image_index_build(&x, images, n), 0);
		assert_true(x.n <= 2 * n + 1);
		for (uint32_t process = 0; process < 4; process++)
			for (uint64_t pc = 0; pc < 92; pc++)
				assert_int_equal(image_index_find(&x, process, pc),
						 look_at_all(images, n, process, pc));
		image_index_free(&x);
	}
}

/* The kernel's addresses are of no process, and an image may reach to the last address. */
TEST(test_kernel)
{
	const struct sample_image images[] = {
		{ .process = TRACE_NONE, .start = 1ull << 63, .end = UINT64_MAX },
		{ .process = 0, .start = 0, .end = 1ull << 63 },
	};
	struct image_index x = { 0 };

	assert_int_equal(image_index_build(&x, images, 2), 0);
	assert_int_equal(image_index_find(&x, 0, UINT64_MAX - 1), 0);
	assert_int_equal(image_index_find(&x, 7, 1ull << 63), 0);
	assert_int_equal(image_index_find(&x, 0, 0), 1);
	assert_int_equal(image_index_find(&x, 1, 0), TRACE_NONE);
	image_index_free(&x);
	assert_int_equal(image_index_find(&x, 0, 0), TRACE_NONE);
}

TEST(image_paths)
{
	static const struct {
		const char *path;
		size_t len;
	} cases[] = {
		{ "/bin/prog", 9 },
		{ "/bin/prog (deleted)", 9 },
		{ "/a (deleted) (deleted)", 12 },
		{ " (deleted)", 10 },
		{ "/bin/(deleted)", 14 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			sample_image_path_len(&(struct sample_image){ .path = cases[i].path }),
			cases[i].len);
}

TEST(image_files)
{
	static const struct {
		const char *path, *file;
	} cases[] = {
		{ "/bin/prog", "prog" },
		{ "/bin/prog (deleted)", "prog" },
		{ "[vdso]", "[vdso]" },
		{ "/bin/", "/bin/" },
		{ "//toolong", SAMPLE_UNKNOWN_PATH },
		{ "//enomem", SAMPLE_UNKNOWN_PATH },
		{ "//toolonger", "toolonger" },
		{ "/ (deleted)", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len;
		const char *file = sample_image_file(
			&(struct sample_image){ .path = cases[i].path }, &len);

		assert_int_equal(len, strlen(cases[i].file));
		assert_memory_equal(file, cases[i].file, len);
	}
}

TESTS(image_files, image_paths, test_random, test_kernel)

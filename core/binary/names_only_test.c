// SPDX-License-Identifier: BSD-2-Clause
/* A program that is read for its names alone has all of them, and takes less memory. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "binary/goframes.h"

static struct gobin *open_names(const char *name, uint64_t most_bytes)
{
	int fd = open(binary_path(name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	struct gobin *b = gobin_open_names(fd, name, most_bytes);

	close(fd);
	return b;
}

static void assert_same_frames(const struct gobin *a, const struct gobin *b, uint64_t vaddr)
{
	struct goframe x[16], y[16];
	size_t n = gobin_frames(a, vaddr, x, 16);

	assert_int_equal(gobin_frames(b, vaddr, y, 16), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(x[i].func, y[i].func);
		assert_int_equal(x[i].line, y[i].line);
		assert_int_equal(x[i].start_line, y[i].start_line);
		assert_int_equal(x[i].wrapper, y[i].wrapper);
		assert_true(!x[i].file == !y[i].file);
		if (x[i].file)
			assert_string_equal(x[i].file, y[i].file);
	}
}

TEST(test_all_names)
{
	static const char *const names[] = { "kinds",     "kinds.stripped",
					     "kinds.pie", "kinds.pie.stripped",
					     "cgo",       "cgo.pie.stripped" };

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		struct gobin *all = open_binary(names[k]), *b = open_names(names[k], 0);
		const struct gofunc *f, *g;
		size_t n = gobin_funcs(all, &f);

		assert_non_null(b);
		assert_int_equal(gobin_funcs(b, &g), n);
		for (size_t i = 0; i < n; i++) {
			assert_string_equal(f[i].name, g[i].name);
			for (uint64_t at = 0; at < f[i].size; at += 5)
				assert_same_frames(all, b, f[i].vaddr + at);
		}
		assert_true(gobin_bytes_held(b) < gobin_bytes_held(all));
		gobin_close(b);
		gobin_close(all);
	}
}

/* One that takes more than it may is not read, and nothing is logged. */
TEST(test_bounded)
{
	struct gobin *all = open_binary("kinds");
	const uint64_t held = gobin_bytes_held(all);
	int fd = open(binary_path("kinds"), O_RDONLY | O_CLOEXEC);

	gobin_close(all);
	forget_log();
	errno = 0;
	assert_null(gobin_open_bounded(fd, "kinds", held / 4));
	assert_int_equal(errno, EFBIG);
	assert_null(open_names("kinds", held / 8));
	assert_int_equal(errno, EFBIG);
	assert_int_equal(logged_count, 0);
	all = gobin_open_bounded(fd, "kinds", held);
	assert_non_null(all);
	gobin_close(all);
	close(fd);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_all_names, test_bounded)

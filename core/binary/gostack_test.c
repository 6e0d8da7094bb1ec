// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/gostack.h"

#include <sys/resource.h>

#include "binary/binaries_fixture.h"
#include "binary/gobin_impl.h"

/* As the BPF program looks it up. */
static int32_t delta_at(const struct gostack *s, uint64_t vaddr)
{
	size_t lo = 0, hi = s->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->rows[mid].off <= vaddr - s->text)
			lo = mid;
		else
			hi = mid;
	}
	return s->rows[lo].delta;
}

/* At every byte of every function the one table says what the function's own does. */
TEST(test_as_each_function_says)
{
	static const char *const names[] = { "kinds", "kinds.pie", "kinds.pie.stripped", "cgo" };

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		struct gobin *b = open_binary(names[k]);
		const struct gofunc *f;
		struct gostack s;
		size_t n = gobin_funcs(b, &f), seen = 0;

		assert_int_equal(gostack_read(b, &s), 0);
		assert_true(s.start_code <= s.text && s.text < s.etext);
		for (size_t i = 0; i < n; i++)
			for (uint64_t at = f[i].vaddr; at < f[i].vaddr + f[i].size; at++) {
				int32_t want;

				if (at < s.text || at >= s.etext)
					continue;
				if (gobin_sp_delta(b, &f[i], at, &want) || want < 0)
					want = -1;
				if (delta_at(&s, at) != want)
					fail_msg("%s: %s+%lu: %d instead of %d", names[k],
						 f[i].name, at - f[i].vaddr, delta_at(&s, at),
						 want);
				seen++;
			}
		assert_true(seen > 100000);
		for (size_t i = 1; i < s.n; i++)
			assert_true(s.rows[i - 1].off < s.rows[i].off);
		gostack_free(&s);
		gobin_close(b);
	}
}

static long most_kib(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return u.ru_maxrss;
}

static bool is_go(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	bool is = gostack_is_go(fd, path, 0);

	close(fd);
	return is;
}

/* A compiler or a browser has hundreds of megabytes: whether it is Go's is known by its headers. */
TEST(test_of_another_language_is_not_read)
{
	static const char *const names[] = { "kinds", "kinds.stripped", "kinds.pie",
					     "kinds.pie.stripped", "cgo" };
	const size_t large = 128u << 20;
	char path[] = "/tmp/gostack_test.XXXXXX", block[1 << 16] = "";
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
	ssize_t n;

	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(to, block, (size_t)n), n);
	memset(block, 'x', sizeof(block));
	for (size_t at = 0; at < large; at += sizeof(block))
		assert_int_equal(write(to, block, sizeof(block)), sizeof(block));
	const long before = most_kib();

	assert_false(is_go(path));
	assert_true(most_kib() - before < 32 << 10);
	close(from);
	close(to);
	unlink(path);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_true(is_go(binary_path(names[i])));
}

/* The one that asks for memory is first: what was taken once counts for ever. */
TESTS_BETWEEN(set_up_binaries, NULL, test_of_another_language_is_not_read,
	      test_as_each_function_says)

// SPDX-License-Identifier: BSD-2-Clause
/* The plan of a large program: the go command. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "plan/inline_padding.h"
#include "plan/plan.h"

/* 15,000 functions. The FIPS 140 self-check hashes a range of the text when the program starts: a
 * probe in it, or a jump in the padding between its functions, fails the program. */
TEST(test_whole)
{
	static const char *const all[] = { "all" };
	const struct plan_options opt = { .packages = all,
					  .n_packages = 1,
					  .strategy = PROBE_INLINE };
	char path[4096];
	size_t marked = 0;

	go_command(path, sizeof(path));
	struct gobin *b = open_path(path);
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);

	for (size_t i = 0; i < p->n_funcs; i++) {
		if (!(p->funcs[i].fn->flags & GOFUNC_FIPS))
			continue;
		assert_int_not_equal(p->funcs[i].fate, PLAN_PROBED);
		marked++;
	}
	assert_true(gobin_go_minor(b) < 24 || marked > 100);
	assert_true(p->stubs.inl.n_paddings > 0);
	/* It can execute itself anew, without what was patched: a recording sees to that. */
	assert_non_null(gobin_func_named(b, "syscall.Exec"));
	assert_null(p->stubs.obstacle);
	for (size_t i = 0; i < p->stubs.inl.n_paddings; i++) {
		const struct gofunc *before = gobin_func_at(b, p->stubs.inl.paddings[i] - 1);

		assert_false(before && before->flags & GOFUNC_FIPS);
	}
	plan_free(p);
	gobin_close(b);
}

/* Padding on either side of hashed functions is hashed with them, whoever would jump there. */
TEST(test_hashed_padding)
{
	const struct plan_options opt = { .strategy = PROBE_INLINE };
	const struct gofunc *funcs;
	char path[4096];
	size_t hashed = 0, beside = 0;

	go_command(path, sizeof(path));
	struct gobin *b = open_path(path);
	struct plan *p = plan_build(b, &opt);
	const size_t n = gobin_funcs(b, &funcs);

	assert_non_null(p);
	for (size_t i = 1; i + 1 < n; i++) {
		uint64_t padding, end = funcs[i].vaddr + funcs[i].size;
		bool fips = funcs[i].flags & GOFUNC_FIPS;

		hashed += fips;
		if (fips)
			assert_int_equal(inline_padding_at(p, &funcs[i], end), 0);
		if (!fips && !((funcs[i - 1].flags | funcs[i + 1].flags) & GOFUNC_FIPS))
			continue;
		beside += !fips;
		/* from where its own padding, and that before it, are within reach */
		for (int near = 0; near < 2; near++) {
			assert_int_equal(inline_take_padding(p, &funcs[i],
							     near ? end - 1 : funcs[i].vaddr,
							     &padding),
					 0);
			if (!padding)
				continue;
			assert_false(fips);
			if (padding < funcs[i].vaddr)
				assert_false(funcs[i - 1].flags & GOFUNC_FIPS);
			else
				assert_false(funcs[i + 1].flags & GOFUNC_FIPS);
		}
	}
	assert_true(gobin_go_minor(b) < 24 || (hashed > 100 && beside > 0));
	plan_free(p);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_whole, test_hashed_padding)

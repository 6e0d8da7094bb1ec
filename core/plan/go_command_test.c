// SPDX-License-Identifier: BSD-2-Clause
/* The plan of a large program: the go command. */
#include "binary/binaries_fixture.h"
#include "plan/plan.h"

/* 15,000 functions. The FIPS 140 self-check hashes a range of the text when the program starts: a
 * probe in it, or a jump in the padding between its functions, fails the program. */
static void test_whole(void **state)
{
	static const char *const all[] = { "all" };
	const struct plan_options opt = { .packages = all,
					  .n_packages = 1,
					  .strategy = PROBE_INLINE };
	char path[4096];
	size_t marked = 0;

	(void)state;
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
	/* It can execute itself anew, without what was patched. */
	assert_non_null(gobin_func_named(b, "syscall.Exec"));
	assert_non_null(p->stubs.obstacle);
	for (size_t i = 0; i < p->stubs.inl.n_paddings; i++) {
		const struct gofunc *before = gobin_func_at(b, p->stubs.inl.paddings[i] - 1);

		assert_false(before && before->flags & GOFUNC_FIPS);
	}
	plan_free(p);
	gobin_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "plan/plan.h"

static struct plan *plan_of(const struct gobin *b, const struct plan_options *opt)
{
	struct plan *p = plan_build(b, opt);

	if (!p)
		print_error("%s\n", logged);
	assert_non_null(p);
	return p;
}

static enum plan_fate fate_of(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_funcs; i++)
		if (strcmp(p->funcs[i].name, name) == 0)
			return p->funcs[i].fate;
	fail_msg("%s is not selected", name);
	return PLAN_FATES;
}

/* A program that makes its text writable: those that it can come by. */
TEST(left_out)
{
	static const char *const builds[] = { "mocks", "mocks.noinline", "mocks.pie.stripped" };
	const struct plan_options opt = { .strategy = PROBE_EMULATED };

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct gobin *b = open_binary(builds[i]);
		struct plan *p = plan_of(b, &opt);

		assert_non_null(p->text_writer);
		assert_int_equal(fate_of(p, "main.target"), PLAN_REWRITTEN);
		assert_int_equal(fate_of(p, "main.(*mocked).Method"), PLAN_REWRITTEN);
		assert_int_equal(fate_of(p, "main.hook"), PLAN_PROBED);
		assert_int_equal(fate_of(p, "main.plain"), PLAN_PROBED);
		assert_int_equal(fate_of(p, "main.main"), PLAN_PROBED);
		plan_free(p);
		gobin_close(b);
	}
}

TEST(instances)
{
	static const char *const all[] = { "all" };
	const struct plan_options opt = { .packages = all, .n_packages = 1 };
	struct gobin *b = open_binary("mocks");
	struct plan *p = plan_of(b, &opt);
	size_t n = 0;

	for (size_t i = 0; i < p->n_funcs; i++) {
		if (!strchr(p->funcs[i].name, '['))
			continue;
		assert_int_not_equal(p->funcs[i].fate, PLAN_PROBED);
		n += p->funcs[i].fate == PLAN_REWRITTEN;
	}
	assert_true(n > 0);
	plan_free(p);
	gobin_close(b);
}

/* By its name it is asked for; by a pattern it is not. -x has the last word. */
TEST(named)
{
	static const char *const name[] = { "main.target" }, *const pattern[] = { "main.targe?" };
	struct gobin *b = open_binary("mocks");
	struct plan_options opt = { .globs = name, .n_globs = 1 };
	struct plan *p = plan_of(b, &opt);

	assert_int_equal(fate_of(p, "main.target"), PLAN_PROBED);
	plan_free(p);
	opt.globs = pattern;
	p = plan_of(b, &opt);
	assert_int_equal(fate_of(p, "main.target"), PLAN_REWRITTEN);
	plan_free(p);
	opt.excludes = name;
	opt.n_excludes = 1;
	p = plan_of(b, &opt);
	assert_int_equal(fate_of(p, "main.target"), PLAN_EXCLUDED);
	plan_free(p);
	gobin_close(b);
}

TEST(others)
{
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_of(b, &opt);

	assert_null(p->text_writer);
	assert_int_equal(p->n_fate[PLAN_REWRITTEN], 0);
	plan_free(p);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, left_out, instances, named, others)

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/test_fixture.h"
#include "plan/codes.h"

#include "binary/binaries_fixture.h"

/* Several threads find what one does. */
TEST(test_like_one_thread)
{
	static const char *const all[] = { "all" };
	const struct plan_options opt = { .strategy = PROBE_EMULATED,
					  .packages = all,
					  .n_packages = 1 };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_build(b, &opt);
	struct gocode_ctx *ctx = gocode_ctx_new(b);
	struct codes codes;
	size_t n = 0;

	assert_true(p && ctx);
	assert_int_equal(codes_open(&codes, p, ctx), 0);
	for (size_t i = 0; i < p->n_funcs; i++) {
		struct gocode many, one;

		if (p->funcs[i].fate != PLAN_PROBED || i % 3 == 1) /* not each is asked for */
			continue;
		assert_int_equal(codes_take(&codes, i, &many), 0);
		assert_int_equal(gocode_analyze(ctx, p->funcs[i].fn, &one), 0);
		assert_int_equal(many.status, one.status);
		assert_int_equal(many.entry.off, one.entry.off);
		assert_int_equal(many.n_rets, one.n_rets);
		for (size_t k = 0; k < one.n_rets; k++)
			assert_int_equal(many.rets[k].off, one.rets[k].off);
		gocode_free(&many);
		gocode_free(&one);
		n++;
	}
	assert_true(n > 200);
	codes_close(&codes);
	gocode_ctx_free(ctx);
	plan_free(p);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_like_one_thread)

// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "model/model.h"

static const uint32_t stack[] = { 0, 1, 0, 1, 0, 1, 2, 2, 2 };

static struct model *model_of(struct trace_info *info)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(trace_info_add_func(
					 info,
					 &(struct trace_func){ .name = (char *)(uintptr_t) "f" }),
				 0);
	struct model *m = model_new(info, NULL);

	assert_non_null(m);
	return m;
}

/* However often a function is on a stack, a sample counts once in its total; all stacks have one
 * total, whatever was folded. */
TEST(each_counts_once)
{
	struct trace_info info = { 0 };
	struct model *m = model_of(&info);
	uint64_t self = 0, calls = 0, weight = 0;
	size_t n;

	for (size_t len = 0; len <= sizeof(stack) / sizeof(stack[0]); len++) {
		const struct model_sample s = { stack, len, 2, 10 + len, 5, 9, STATE_RUNNING, 0 };

		assert_int_equal(model_sample(m, &s, NULL), 0);
		weight += 10 + len;
	}
	assert_int_equal(model_finish(m), 0);
	const struct call_stats *f = model_funcs(m, &n);
	assert_int_equal(n, 3);
	assert_int_equal(f[0].samples, 18); /* all but the empty one */
	assert_int_equal(f[0].total_ns, weight - 10);
	assert_int_equal(f[1].samples, 16);
	assert_int_equal(f[1].total_ns, weight - 10 - 11);
	assert_int_equal(f[2].samples, 6);
	for (size_t i = 0; i < n; i++) {
		self += f[i].self_ns;
		calls += f[i].calls;
	}
	assert_int_equal(self, weight - 10);
	assert_int_equal(calls, 18);
	assert_int_equal(model_totals(m)->root_ns, weight);
	assert_int_equal(model_totals(m)->calls, 20);
	assert_int_equal(model_totals(m)->first_ns, 5);
	assert_int_equal(model_totals(m)->last_ns, 9);
	model_free(m);
	trace_info_free(&info);
}

TESTS(each_counts_once)

// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "attach/kernel/costs.h"
#include "binary/gocode.h"

static const struct caps measured = {
	.emulated_ns = 1,
	.jump_ns = 2,
	.nop5_ns = 3,
	.nop10_ns = 4,
	.ret_ns = 5,
	.step_ns = 6,
};

static void classes(void **state)
{
	const struct plan_site push = { .class = INSN_EMULATED, .text_class = INSN_EMULATED };
	const struct plan_site ret = { .class = INSN_STEP,
				       .text_class = INSN_STEP,
				       .plain_ret = true };
	const struct plan_site other = { .class = INSN_STEP, .text_class = INSN_STEP };
	struct plan_site stub = {
		.class = INSN_EMULATED, .text_class = INSN_STEP, .plain_ret = true, .window_len = 5
	};

	(void)state;
	for (int perform = 0; perform < 2; perform++) {
		assert_int_equal(cost_class_of(&push, perform), COST_EMULATED);
		assert_int_equal(cost_class_of(&ret, perform), perform ? COST_RET : COST_STEP);
		assert_int_equal(cost_class_of(&other, perform), COST_STEP);
		assert_int_equal(cost_class_of(&stub, perform), COST_JUMP);
	}
	stub.stub_kind = STUB_NOP10;
	assert_int_equal(cost_class_of(&stub, true), COST_NOP);
}

/* A trace names what its plan uses, and the two that every reader compares. */
static void keys(void **state)
{
	struct plan_site sites[] = {
		{ .class = INSN_STEP, .plain_ret = true },
		{ .class = INSN_EMULATED, .window_len = 5, .stub_kind = STUB_NOP10 },
	};
	const struct plan p = { .sites = sites, .n_sites = 2 };
	struct trace_info info = { 0 };

	(void)state;
	assert_int_equal(costs_describe(&info, &measured, &p, true), 0);
	assert_int_equal(trace_info_u64(&info, "cost.emulated_ns", 0), 1);
	assert_int_equal(trace_info_u64(&info, "cost.nop_ns", 0), 4);
	assert_int_equal(trace_info_u64(&info, "cost.ret_ns", 0), 5);
	assert_int_equal(trace_info_u64(&info, "cost.step_ns", 0), 6);
	assert_null(trace_info_get(&info, "cost.jump_ns"));
	trace_info_free(&info);

	sites[1].stub_kind = STUB_JUMP;
	assert_int_equal(costs_describe(&info, &measured, &p, false), 0);
	assert_int_equal(trace_info_u64(&info, "cost.jump_ns", 0), 2);
	assert_null(trace_info_get(&info, "cost.ret_ns"));
	assert_null(trace_info_get(&info, "cost.nop_ns"));
	trace_info_free(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

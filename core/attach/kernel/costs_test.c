// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
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

TEST(classes)
{
	const struct plan_site push = { .insn_class = INSN_EMULATED };
	const struct plan_site ret = { .insn_class = INSN_STEP, .plain_ret = true };
	const struct plan_site other = { .insn_class = INSN_STEP };
	struct plan_site stub = { .insn_class = INSN_STEP,
				  .plain_ret = true,
				  .stub = { .displaced_len = 5 } };

	for (int perform = 0; perform < 2; perform++) {
		assert_int_equal(cost_class_of(&push, false, perform), COST_EMULATED);
		assert_int_equal(cost_class_of(&ret, false, perform),
				 perform ? COST_RET : COST_STEP);
		assert_int_equal(cost_class_of(&other, false, perform), COST_STEP);
		assert_int_equal(cost_class_of(&stub, true, perform), COST_JUMP);
		/* It has a stub that is not used. */
		assert_int_equal(cost_class_of(&stub, false, perform),
				 perform ? COST_RET : COST_STEP);
	}
	stub.stub.kind = STUB_NOP10;
	assert_int_equal(cost_class_of(&stub, true, true), COST_NOP);
}

/* A trace names what its plan uses, and the two that every reader compares. */
TEST(keys)
{
	struct plan_site sites[] = {
		{ .plain_ret = true },
		{ .stub = { .displaced_len = 5, .kind = STUB_NOP10 } },
	};
	uint8_t class[] = { COST_RET, COST_NOP };
	const struct plan p = { .sites = sites, .n_sites = 2 };
	struct trace_info info = { 0 };

	assert_int_equal(costs_describe(&info, &measured, &p, class), 0);
	assert_int_equal(trace_info_u64(&info, "cost.emulated_ns", 0), 1);
	assert_int_equal(trace_info_u64(&info, "cost.nop_ns", 0), 4);
	assert_int_equal(trace_info_u64(&info, "cost.ret_ns", 0), 5);
	assert_int_equal(trace_info_u64(&info, "cost.step_ns", 0), 6);
	assert_null(trace_info_get(&info, "cost.jump_ns"));
	trace_info_free(&info);

	class[0] = COST_STEP;
	class[1] = COST_JUMP;
	assert_int_equal(costs_describe(&info, &measured, &p, class), 0);
	assert_int_equal(trace_info_u64(&info, "cost.jump_ns", 0), 2);
	assert_null(trace_info_get(&info, "cost.ret_ns"));
	assert_null(trace_info_get(&info, "cost.nop_ns"));
	trace_info_free(&info);
}

TESTS(classes, keys)

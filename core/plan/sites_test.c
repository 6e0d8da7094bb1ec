// SPDX-License-Identifier: BSD-2-Clause
/* What becomes of a function by what its code was found to be. */
#include <stdlib.h>

#include "base/test_fixture.h"
#include "bpf/event.h"
#include "plan/sites.h"

static struct code_point point(uint32_t off, enum insn_class class)
{
	return (struct code_point){ .off = off, .len = 1, .class = class };
}

/* A function of an entry, a RET and a tail jump, of these classes. */
struct function {
	struct code_point ret;
	struct code_tail tail;
	struct gocode code;
};

static void function(struct function *f, enum insn_class entry, enum insn_class ret,
		     enum insn_class tail)
{
	*f = (struct function){ .ret = point(40, ret),
				.tail = { .at = point(50, tail), .target = 0x1000 } };
	f->code = (struct gocode){ .status = CODE_OK,
				   .g_in_register = true,
				   .has_entry = true,
				   .entry = point(4, entry),
				   .start = point(0, INSN_STEP),
				   .rets = &f->ret,
				   .n_rets = 1,
				   .tails = &f->tail,
				   .n_tails = 1 };
}

static enum plan_fate fate(const struct function *f)
{
	const struct plan p = { .strategy = PROBE_EMULATED };
	const struct plan_func of = { 0 };

	return sites_fate(&p, &of, &f->code);
}

/* The kernel refuses a probe on some instructions: one that cannot be probed leaves calls open. */
TEST(test_refused)
{
	struct function f;

	function(&f, INSN_EMULATED, INSN_STEP, INSN_STEP);
	assert_int_equal(fate(&f), PLAN_PROBED);
	function(&f, INSN_REFUSED, INSN_STEP, INSN_STEP);
	assert_int_equal(fate(&f), PLAN_REFUSED);
	function(&f, INSN_EMULATED, INSN_REFUSED, INSN_STEP);
	assert_int_equal(fate(&f), PLAN_REFUSED);
	function(&f, INSN_EMULATED, INSN_STEP, INSN_REFUSED);
	assert_int_equal(fate(&f), PLAN_REFUSED);
}

TEST(test_not_code)
{
	struct function f;

	function(&f, INSN_EMULATED, INSN_STEP, INSN_STEP);
	f.code.g_in_register = false;
	assert_int_equal(fate(&f), PLAN_ABI0);
	f.code.status = CODE_UNDECODABLE;
	assert_int_equal(fate(&f), PLAN_UNDECODABLE);
	f.code.status = CODE_NO_BYTES;
	assert_int_equal(fate(&f), PLAN_NO_CODE);
}

/* An entry that a loop comes back to would count its rounds. */
TEST(test_loop)
{
	struct function f;

	function(&f, INSN_EMULATED, INSN_STEP, INSN_STEP);
	f.code.loop_at_start = true;
	assert_int_equal(fate(&f), PLAN_PROBED); /* the entry is behind it */
	f.code.has_entry = false;
	assert_int_equal(fate(&f), PLAN_LOOP);
}

static unsigned kinds_of(const struct function *f, uint16_t n_results)
{
	struct gofunc fn = { .vaddr = 0x2000 };
	struct plan_func of = { .fn = &fn, .n_results = n_results };
	struct plan p = { .strategy = PROBE_EMULATED, .funcs = &of, .n_funcs = 1 };
	unsigned kinds = 0;

	assert_int_equal(sites_add_func(&p, 0, &f->code), 0);
	for (size_t i = 0; i < p.n_sites; i++)
		kinds |= 1u << p.sites[i].kind;
	free(p.sites);
	return kinds;
}

/* One event is enough for a call that is over in nanoseconds, but not where its results are read.
 */
TEST(test_brief)
{
	struct function f;

	function(&f, INSN_EMULATED, INSN_STEP, INSN_STEP);
	f.code.n_tails = 0;
	assert_int_equal(kinds_of(&f, 0), 1u << EV_ENTRY | 1u << EV_EXIT);
	f.code.brief = true;
	assert_int_equal(kinds_of(&f, 0), 1u << EV_ENTRY_EXIT);
	assert_int_equal(kinds_of(&f, 1), 1u << EV_ENTRY | 1u << EV_EXIT);
}

TESTS(test_refused, test_not_code, test_loop, test_brief)

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stub displaces, as a second disassembler sees it. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>

#include "binary/gobin_impl.h"
#include "binary/gocode.h"

/* No branch goes into bytes that a stub displaces, nor, where they end at a RET, past them to it.
 */
static void assert_not_entered(const cs_insn *branch, const struct gofunc *f,
			       const struct code_window *w, bool before_ret)
{
	const cs_x86_op *op = &branch->detail->x86.operands[0];
	uint64_t start = f->vaddr + w->off;

	if (op->type == X86_OP_IMM && (uint64_t)op->imm > start &&
	    (uint64_t)op->imm < start + w->len + before_ret)
		fail_msg("%s: a branch goes into what a stub displaces at +%u", f->name, w->off);
}

/* What faults there would do so at another address, where the runtime knows no function. */
static void assert_cannot_fault(const cs_insn *in, const struct gofunc *f)
{
	if (in->id == X86_INS_DIV || in->id == X86_INS_IDIV)
		fail_msg("%s: a stub displaces a division", f->name);
	for (uint8_t i = 0;
	     i < in->detail->x86.op_count && in->id != X86_INS_LEA && in->id != X86_INS_NOP; i++) {
		const cs_x86_op *op = &in->detail->x86.operands[i];

		if (op->type == X86_OP_MEM &&
		    (op->mem.index != X86_REG_INVALID ||
		     (op->mem.base != X86_REG_RSP && op->mem.base != X86_REG_RBP &&
		      op->mem.base != X86_REG_R14)))
			fail_msg("%s: a stub displaces an access to memory", f->name);
	}
}

static void assert_window(csh cs, const cs_insn *insns, size_t n, const struct gofunc *f,
			  const struct code_window *w, bool before_ret)
{
	uint64_t start = f->vaddr + w->off;

	if (!w->len)
		return;
	for (size_t i = 0; i < n; i++) {
		if (cs_insn_group(cs, &insns[i], CS_GRP_JUMP))
			assert_not_entered(&insns[i], f, w, before_ret);
		if (insns[i].address >= start && insns[i].address < start + w->len)
			assert_cannot_fault(&insns[i], f);
	}
}

/* Whether it had any. */
static bool assert_windows(csh cs, const struct gobin *b, const struct gofunc *f,
			   const struct gocode *k)
{
	bool any = k->check_window.len || k->leaf_window.len;
	cs_insn *insns;

	for (size_t i = 0; i < k->n_rets; i++)
		any |= k->ret_windows[i].len != 0;
	if (!any)
		return false;
	size_t n = cs_disasm(cs, gobin_bytes(b, f->vaddr, f->size), f->size, f->vaddr, 0, &insns);

	assert_window(cs, insns, n, f, &k->check_window, false);
	assert_window(cs, insns, n, f, &k->leaf_window, false);
	for (size_t i = 0; i < k->n_rets; i++)
		assert_window(cs, insns, n, f, &k->ret_windows[i], true);
	if (n)
		cs_free(insns, n);
	return true;
}

static void check(const char *path, size_t one_in)
{
	struct gobin *b = open_path(path);
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs), windows = 0;
	struct gocode_ctx *c = gocode_ctx_new(b);
	csh cs;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	assert_int_equal(cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	for (size_t i = 0; i < n; i += one_in) {
		struct gocode k;

		assert_int_equal(gocode_analyze(c, &funcs[i], &k), 0);
		windows += assert_windows(cs, b, &funcs[i], &k);
		gocode_free(&k);
	}
	assert_true(windows > n / one_in / 2);
	cs_close(&cs);
	gocode_ctx_free(c);
	gobin_close(b);
}

TEST(test_windows)
{
	char path[4096];

	check(binary_path("kinds"), 1);
	check(binary_path("kinds.pie.stripped"), 1);
	go_command(path, sizeof(path)); /* 15,000 functions */
	check(path, 8);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_windows)

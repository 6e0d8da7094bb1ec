// SPDX-License-Identifier: BSD-2-Clause
/* Where functions are seen to return, checked with a full decoder. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>

#include "binary/gocode.h"

static bool writes_result(csh cs, const cs_insn *in)
{
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;

	assert_int_equal(cs_regs_access(cs, in, reads, &n_reads, writes, &n_writes), 0);
	for (uint8_t i = 0; i < n_writes; i++)
		if (writes[i] == X86_REG_RAX || writes[i] == X86_REG_EAX ||
		    writes[i] == X86_REG_AX || writes[i] == X86_REG_AL)
			return true;
	return false;
}

/* From `at` on nothing but the way to the RET, which nothing else takes. */
static void check_way(csh cs, const struct gofunc *f, const cs_insn *insns, size_t n, uint64_t at)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		if (insns[i].address > at && insns[i].id == X86_INS_RET)
			ret = insns[i].address;
	assert_true(ret);
	for (size_t i = 0; i < n; i++) {
		const cs_insn *in = &insns[i];
		bool inside = in->address >= at && in->address < ret;
		uint64_t to = (uint64_t)in->detail->x86.operands[0].imm;

		if (inside && (cs_insn_group(cs, in, CS_GRP_CALL) || writes_result(cs, in)))
			fail_msg("%s: the result is not known at +%lx", f->name,
				 (long)(at - f->vaddr));
		if (!cs_insn_group(cs, in, CS_GRP_JUMP))
			continue;
		if (inside ? to <= in->address || to > ret : to > at && to <= ret)
			fail_msg("%s: another way leads past +%lx", f->name, (long)(at - f->vaddr));
	}
}

static size_t check_func(csh cs, const struct gobin *b, struct gocode_ctx *c,
			 const struct gofunc *f)
{
	struct code_point *points;
	cs_insn *insns;
	size_t n, found = 0;

	assert_int_equal(gocode_returns(c, f, &points, &n), 0);
	size_t n_insns = cs_disasm(cs, gobin_bytes(b, f->vaddr, f->size), f->size, f->vaddr, 0,
				   &insns);

	for (size_t i = 0; i < n; i++) {
		if (points[i].plain_ret)
			continue;
		assert_int_equal(points[i].class, INSN_EMULATED);
		check_way(cs, f, insns, n_insns, f->vaddr + points[i].off);
		found++;
	}
	if (n_insns)
		cs_free(insns, n_insns);
	free(points);
	return found;
}

TEST(test_ways)
{
	char path[4096];
	const struct gofunc *funcs;
	size_t found = 0;
	csh cs;

	go_command(path, sizeof(path));
	struct gobin *b = open_path(path);
	assert_non_null(b);
	struct gocode_ctx *c = gocode_ctx_new(b);
	size_t n = gobin_funcs(b, &funcs);

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	assert_int_equal(cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	for (size_t i = 0; i < n; i++)
		if (!(funcs[i].flags & GOFUNC_ASM))
			found += check_func(cs, b, c, &funcs[i]);
	assert_true(found > 50);
	cs_close(&cs);
	gocode_ctx_free(c);
	gobin_close(b);
}

static size_t emulated_returns(const struct gobin *b, struct gocode_ctx *c, const char *name)
{
	struct code_point *points;
	size_t n, emulated = 0;

	assert_int_equal(gocode_returns(c, gobin_func_named(b, name), &points, &n), 0);
	assert_int_equal(n, 1);
	for (size_t i = 0; i < n; i++)
		emulated += points[i].class == INSN_EMULATED;
	assert_int_equal(points[0].plain_ret, !emulated);
	free(points);
	return emulated;
}

/* newproc1 gives up its thread's lock last, with a conditional jump, and has its result by then. */
TEST(test_newproc1)
{
	static const char *const variants[] = { "kinds", "kinds.pie.stripped", "cgo" };

	for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		struct gobin *b = open_binary(variants[v]);
		struct gocode_ctx *c = gocode_ctx_new(b);

		assert_int_equal(emulated_returns(b, c, "runtime.newproc1"), 1);
		if (gobin_func_named(b, "main.leaf"))
			assert_int_equal(emulated_returns(b, c, "main.leaf"), 0);
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, test_ways, test_newproc1)

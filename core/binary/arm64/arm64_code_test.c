// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>

#include "binary/arch.h"
#include "binary/arm64/arm64_code.h"
#include "binary/arm64/arm64_insn.h"
#include "binary/disasm.h"
#include "binary/gorewrite.h"
#include "binary/gostack.h"
#include "binary/wait_reasons.h"

static struct gocode analyze(const struct gobin *b, struct gocode_ctx *c, const char *name)
{
	const struct gofunc *f = gobin_func_named(b, name);
	struct gocode code;

	if (!f)
		fail_msg("%s is not there", name);
	assert_int_equal(gocode_analyze(c, f, &code), 0);
	return code;
}

static uint32_t word_at(const struct gobin *b, const char *name, uint32_t off)
{
	const struct gofunc *f = gobin_func_named(b, name);
	const uint8_t *p = gobin_bytes(b, f->vaddr + off, ARM64_BYTES);

	assert_non_null(p);
	return load32(p);
}

static const char *const variants[] = { "kinds.arm64", "kinds.arm64.pie.stripped" };
#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* The entry is the last jump of the check, and each RET is a point of its own. */
TEST(checked)
{
	static const char *const names[] = {
		"main.callsInlined", "main.largeFrame",    "main.hugeFrame", "main.table",
		"main.recursive",    "main.(*named).Name", "main.withDefer", "main.onlyPanics",
	};

	for (size_t v = 0; v <= N_VARIANTS; v++) {
		/* which calls a function before the check */
		struct gobin *b = open_binary(v < N_VARIANTS ? variants[v]
							     : "kinds.arm64.maymorestack");
		struct gocode_ctx *c = gocode_ctx_new(b);

		assert_non_null(c);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			struct gocode k = analyze(b, c, names[i]);

			assert_int_equal(k.status, CODE_OK);
			assert_true(k.has_check && k.g_in_register && k.has_entry);
			assert_true(k.entry.check_jcc);
			assert_int_equal(k.line_end, LINE_FOUND);
			assert_int_equal(k.entry.class, INSN_EMULATED);
			assert_int_equal(k.entry.to_frame_bytes, 0);
			assert_int_equal(word_at(b, names[i], k.entry.off) & 0xff00001f,
					 0x54000009); /* b.ls */
			assert_true(k.has_values_entry);
			assert_int_equal(k.values_entry.off, k.entry.off);
			assert_int_equal(k.n_morestack, 1);
			assert_int_equal(k.n_tails, 0);
			assert_int_equal(k.n_rets == 0, strcmp(names[i], "main.onlyPanics") == 0);
			for (size_t r = 0; r < k.n_rets; r++) {
				assert_int_equal(word_at(b, names[i], k.rets[r].off), 0xd65f03c0);
				assert_int_equal(k.rets[r].class, INSN_EMULATED);
				assert_int_equal(k.rets[r].to_frame_bytes, 0);
			}
			gocode_free(&k);
		}
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

TEST(unchecked)
{
	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v]);
		struct gocode_ctx *c = gocode_ctx_new(b);
		struct gocode k = analyze(b, c, "main.empty");

		assert_false(k.has_check);
		assert_false(k.has_entry);
		assert_true(k.g_in_register);
		assert_int_equal(k.start.class, INSN_EMULATED);
		assert_int_equal(k.n_rets, 1);
		assert_int_equal(k.rets[0].off, 0);
		gocode_free(&k);

		k = analyze(b, c, "main.leaf");
		assert_false(k.has_entry);
		assert_true(k.one_probe_leaf); /* its RET says it all */
		assert_int_equal(k.line_end, LINE_FLOW);
		gocode_free(&k);

		/* a call that dereferences nil has been entered: no site after that instruction */
		k = analyze(b, c, "main.mayFault");
		assert_false(k.has_entry);
		assert_int_equal(k.line_end, LINE_FAULT);
		assert_true(k.has_past_fault_entry);
		assert_int_equal(k.past_fault_entry.class, INSN_EMULATED);
		assert_true(k.brief);
		gocode_free(&k);

		k = analyze(b, c, "main.special");
		assert_true(k.has_entry && k.brief);
		gocode_free(&k);
		k = analyze(b, c, "main.(*pair).sign"); /* reads once more through its argument */
		assert_true(k.has_past_fault_entry && k.brief);
		gocode_free(&k);
		k = analyze(b, c, "main.(*pair).endless"); /* too long for one event at its RET */
		assert_false(k.has_entry || k.one_probe_leaf || k.has_past_fault_entry);
		gocode_free(&k);
		k = analyze(b, c, "main.(*pair).follow"); /* may fault after its first branch */
		assert_false(k.brief);
		gocode_free(&k);
		k = analyze(b, c, "main.loop");
		assert_false(k.brief);
		gocode_free(&k);
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

/* Functions of assembly are not probed. They are analysed all the same. */
TEST(assembly)
{
	struct gobin *b = open_binary("kinds.arm64");
	struct gocode_ctx *c = gocode_ctx_new(b);
	struct gocode k = analyze(b, c, "main.pins");

	/* constants behind the code are no instructions */
	assert_int_equal(k.status, CODE_OK);
	assert_false(k.g_in_register);
	assert_int_equal(k.n_rets, 1);
	assert_int_equal(k.rets[0].off, 8);
	assert_int_equal(k.n_tails, 0);
	assert_int_equal(k.start.class, INSN_REFUSED);
	gocode_free(&k);

	k = analyze(b, c, "main.waits"); /* no table was loaded into its register */
	assert_int_equal(k.n_tails, 1);
	assert_int_equal(k.tails[0].target, 0);
	assert_int_equal(k.n_rets, 0);
	assert_int_equal(k.entry.off, k.tails[0].at.off);
	gocode_free(&k);

	const struct gofunc *second = gobin_func_named(b, "main.second");
	k = analyze(b, c, "main.first");
	assert_int_equal(k.n_tails, 1);
	assert_int_equal(k.tails[0].target, second->vaddr);
	gocode_free(&k);

	k = analyze(b, c, "main.copies"); /* a loop comes back to an exclusive load */
	assert_true(k.loop_at_start);
	assert_false(k.has_entry);
	assert_int_equal(k.start.class, INSN_REFUSED);
	gocode_free(&k);

	k = analyze(b, c, "main.framed"); /* three instructions lower the stack pointer */
	assert_true(k.has_entry);
	assert_int_equal(k.entry.off, 12);
	assert_int_equal(k.entry.to_frame_bytes, 16 + 32 + 16);
	gocode_free(&k);

	k = analyze(b, c, "main.scratches"); /* a division does not fault */
	assert_true(k.has_entry);
	assert_int_equal(k.entry.off, 8);
	gocode_free(&k);

	k = analyze(b, c, "main.leaves"); /* its closure is not nil */
	assert_true(k.has_entry);
	assert_int_equal(k.entry.off, 4);
	gocode_free(&k);

	k = analyze(b, c, "main.straight");
	assert_false(k.has_entry);
	assert_true(k.has_past_fault_entry);
	assert_int_equal(k.past_fault_entry.off, k.rets[0].off);
	gocode_free(&k);

	k = analyze(b, c, "main.endless");
	assert_false(k.has_past_fault_entry);
	gocode_free(&k);
	gocode_ctx_free(c);
	gobin_close(b);
}

static bool in_group(csh cs, const cs_insn *in, unsigned group)
{
	return cs_insn_group(cs, in, group);
}

static void check_word(csh cs, const cs_insn *in, uint32_t w, const struct gofunc *f)
{
	struct insn ours = { 0 };
	const bool ret = in->id == ARM64_INS_RET;
	const bool call = in->id == ARM64_INS_BL || in->id == ARM64_INS_BLR;
	const bool jump = !ret && !call && in_group(cs, in, CS_GRP_JUMP);
	const cs_arm64_op *ops = in->detail->arm64.operands;

	arm64_classify(w, &ours);
	const bool branches = ours.flow == FLOW_JMP || ours.flow == FLOW_JCC ||
			      ours.flow == FLOW_JMP_IND;

	if (ret != (ours.flow == FLOW_RET) || jump != branches ||
	    call != (ours.flow == FLOW_CALL || ours.flow == FLOW_CALL_IND))
		fail_msg("%s: %s %s has flow %d", f->name, in->mnemonic, in->op_str, ours.flow);
	for (uint8_t i = 0; i < in->detail->arm64.op_count; i++)
		if (ours.target && ops[i].type == ARM64_OP_IMM &&
		    i + 1 == in->detail->arm64.op_count)
			assert_int_equal(in->address + (uint64_t)ours.target, ops[i].imm);
	if (ours.flow != FLOW_NEXT)
		return;
	for (uint8_t i = 0; i < in->detail->arm64.op_count; i++) {
		struct arm64_access a;
		const arm64_reg base = ops[i].mem.base;

		if (ops[i].type != ARM64_OP_MEM)
			continue;
		assert_true(arm64_access(w, &a));
		if (base != ARM64_REG_SP && base != ARM64_REG_X29 && base != ARM64_REG_X30)
			assert_int_equal(arm64_rn(w), base - ARM64_REG_X0);
		assert_int_equal(base == ARM64_REG_SP, arm64_rn(w) == ARM64_SP);
		if (!a.others && !a.moved_bytes && in->id != ARM64_INS_PRFM)
			assert_int_equal(a.offset_bytes, ops[i].mem.disp);
		if (ops[i].mem.index != ARM64_REG_INVALID)
			assert_true(a.others);
	}
}

/* All words of a program's own functions, by another decoder. */
TEST(all_words)
{
	struct gobin *b = open_binary("kinds.arm64");
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs), words = 0;
	csh cs;

	assert_int_equal(cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &cs), CS_ERR_OK);
	assert_int_equal(cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	cs_insn *in = cs_malloc(cs);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = gobin_bytes(b, funcs[i].vaddr, funcs[i].size);

		for (uint32_t off = 0; !(funcs[i].flags & GOFUNC_ASM) && off < funcs[i].size;
		     off += ARM64_BYTES) {
			const uint8_t *at = p + off;
			size_t left = ARM64_BYTES;
			uint64_t vaddr = funcs[i].vaddr + off;

			if (!cs_disasm_iter(cs, &at, &left, &vaddr, in))
				continue;
			check_word(cs, in, load32(p + off), &funcs[i]);
			words++;
		}
	}
	assert_true(words > 100000);
	cs_free(in, 1);
	cs_close(&cs);
	gobin_close(b);
}

/* Every function that the compiler made can be decoded, and has a place for its entry. The distance
 * that is followed on the line is that of the compiler's own table. */
TEST(all_functions)
{
	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v]);
		struct gocode_ctx *c = gocode_ctx_new(b);
		const struct gofunc *funcs;
		size_t n = gobin_funcs(b, &funcs), checked = 0, other_checks = 0;
		size_t entries = 0, all = 0;

		for (size_t i = 0; i < n; i++) {
			struct gocode k;
			int32_t down;

			if (funcs[i].flags & (GOFUNC_ASM | GOFUNC_ABI0) ||
			    !strncmp(funcs[i].name, "go:", 3)) /* marks of the linker */
				continue;
			assert_int_equal(gocode_analyze(c, &funcs[i], &k), 0);
			if (k.status != CODE_OK)
				fail_msg("%s: status %d", funcs[i].name, k.status);
			if (k.has_entry &&
			    gobin_sp_delta(b, &funcs[i], funcs[i].vaddr + k.entry.off, &down) == 0)
				assert_int_equal(k.entry.to_frame_bytes, down);
			for (size_t r = 0; r < k.n_rets; r++) {
				assert_int_equal(gobin_sp_delta(b, &funcs[i],
								funcs[i].vaddr + k.rets[r].off,
								&down),
						 0);
				assert_int_equal(down, 0);
			}
			assert_true(!k.has_check || k.n_morestack == 1);
			other_checks += !k.has_check && k.n_morestack;
			checked += k.has_check;
			entries += k.has_entry || k.one_probe_leaf || k.has_past_fault_entry;
			all++;
			gocode_free(&k);
		}
		assert_true(checked > all * 3 / 4 && checked < all);
		assert_true(other_checks > 0 && other_checks < all / 20); /* //go:systemstack */
		assert_true(entries > all * 9 / 10);
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

TEST(returns)
{
	struct gobin *b = open_binary("kinds.arm64");
	struct gocode_ctx *c = gocode_ctx_new(b);
	const struct gofunc *f = gobin_func_named(b, "main.table");
	const struct gofunc *callee = gobin_func_named(b, "strings.Repeat");
	struct code_point *points;
	size_t n;

	assert_int_equal(gocode_returns(c, f, &points, &n), 0);
	assert_true(n > 1);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(word_at(b, "main.table", points[i].off), 0xd65f03c0);
	free(points);
	assert_int_equal(gocode_calls(c, f, callee->vaddr, &points, &n), 0);
	assert_int_equal(n, 2);
	free(points);
	gocode_ctx_free(c);
	gobin_close(b);
}

/* The runtime's facts that code shows, and the layout of its structs. */
TEST(runtime_facts)
{
	struct gobin *b = open_binary("kinds.arm64"), *x = open_binary("kinds");
	const struct gofunc *f = gobin_func_named(b, "runtime.sigtramp");
	const struct arch *arch = gobin_arch(b);
	struct wait_reasons ours, theirs;
	struct golayout layout, table;
	struct gostack rows;
	int64_t off;
	uint64_t allgs;

	assert_memory_equal(gobin_bytes(b, f->vaddr, arch->sigtramp_bytes), arch->sigtramp,
			    arch->sigtramp_bytes);
	assert_int_equal(wait_reasons_of(b, &ours), 0);
	assert_int_equal(wait_reasons_of(x, &theirs), 0);
	assert_true(ours.from_binary);
	assert_int_equal(ours.n, theirs.n);
	for (unsigned i = 0; i < ours.n; i++)
		assert_string_equal(ours.text[i], theirs.text[i]);
	assert_int_equal(gobin_layout(b, &layout), 0);
	assert_true(layout.from_dwarf);
	assert_int_equal(golayout_by_minor(gobin_go_minor(b), &table), 0);
	assert_memory_equal(&layout, &table, offsetof(struct golayout, from_dwarf));
	assert_int_equal(gobin_tls_g(b, &off), -ENOENT); /* pure Go has it in R28 alone */
	assert_int_equal(gobin_allgs(b, &allgs), 0);
	assert_int_equal(gostack_read(b, &rows), 0);
	assert_true(rows.n > 1000);
	gostack_free(&rows);
	gobin_close(b);
	gobin_close(x);
}

static void note_writer(void *ctx, const struct gofunc *f)
{
	unsigned *n = ctx;

	if (!strcmp(f->name, "main.write"))
		n[0]++;
	else if (!strcmp(f->name, "main.overwrite"))
		n[1]++;
	else
		n[2]++;
}

TEST(text_writers)
{
	struct gobin *b = open_binary("mocks.arm64");
	unsigned n[3] = { 0 };

	gobin_text_writers(b, note_writer, n);
	assert_true(n[0] > 0);
	assert_true(n[1] > 0);
	assert_int_equal(n[2], 0);
	gobin_close(b);
	b = open_binary("kinds.arm64");
	memset(n, 0, sizeof(n));
	gobin_text_writers(b, note_writer, n);
	assert_int_equal(n[0] + n[1] + n[2], 0);
	gobin_close(b);
}

TEST(text)
{
	struct gobin *b = open_binary("kinds.arm64");
	struct disasm *d = disasm_new(b);
	const struct gofunc *f = gobin_func_named(b, "main.leaf");
	char line[64];

	assert_non_null(d);
	disasm_text(d, f->vaddr, line, sizeof(line));
	assert_string_equal(line, "mul x1, x0, x1");
	assert_int_equal(disasm_length(d, f->vaddr), 4);
	disasm_free(d);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, checked, unchecked, assembly, all_words, all_functions,
	      returns, runtime_facts, text_writers, text)

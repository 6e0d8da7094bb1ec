// SPDX-License-Identifier: BSD-2-Clause
/* The bytes that inline stubs displace, checked with a full decoder. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>

#include "binary/gocode.h"

/* A displaced branch is a jump inside the function, and listed. Nothing follows an unconditional
 * one. */
static unsigned assert_jump(const cs_insn *in, const struct gofunc *f, const struct code_window *w)
{
	uint64_t to = (uint64_t)in->detail->x86.operands[0].imm;

	for (uint8_t i = 0; i < w->n_jump_offs; i++) {
		if (f->vaddr + w->jump_offs[i] != in->address)
			continue;
		if (in->id == X86_INS_JMP)
			assert_int_equal(in->address + in->size, f->vaddr + w->off + w->len);
		assert_true(to >= f->vaddr && to < f->vaddr + f->size);
		assert_false(w->has_call);
		return 1;
	}
	fail_msg("%s: a branch is displaced at +%u", f->name, w->off);
	return 0;
}

static bool uses_flags(csh cs, const cs_insn *in, bool *writes)
{
	cs_regs r, w;
	uint8_t n_r, n_w;
	bool reads = false;

	assert_int_equal(cs_regs_access(cs, in, r, &n_r, w, &n_w), CS_ERR_OK);
	*writes = false;
	for (uint8_t i = 0; i < n_r; i++)
		reads |= r[i] == X86_REG_EFLAGS;
	for (uint8_t i = 0; i < n_w; i++)
		*writes |= w[i] == X86_REG_EFLAGS;
	return reads;
}

/* A window that begins with a jump needs the comparison before it: one that can be executed again.
 */
static bool assert_compare(csh cs, const cs_insn *insns, size_t n, const struct gofunc *f,
			   const struct code_window *w)
{
	size_t i = 0;
	bool writes;

	while (i < n && insns[i].address < f->vaddr + w->off)
		i++;
	if (!w->compare_len) {
		if (i < n && w->n_jump_offs && w->jump_offs[0] == w->off &&
		    insns[i].id != X86_INS_JMP)
			fail_msg("%s: nothing sets flags for +%u", f->name, w->off);
		return false;
	}
	assert_true(i > 0 && i < n);
	const cs_insn *compare = &insns[i - 1];

	assert_int_equal(compare->size, w->compare_len);
	assert_false(uses_flags(cs, compare, &writes));
	assert_true(writes);
	for (uint8_t k = 0; k < compare->detail->x86.op_count; k++) {
		const cs_x86_op *op = &compare->detail->x86.operands[k];

		assert_true(op->type != X86_OP_MEM || op->mem.base != X86_REG_RIP);
		assert_true(op->type != X86_OP_REG || !(op->access & CS_AC_WRITE));
	}
	return true;
}

/* Where other tools, and gotrace without stubs, put their probe on an entry: nothing is displaced,
 * or it alone, and then by a jump whose first byte may become the file's again. */
static void assert_probed_alone(const struct gocode *k, const cs_insn *insns, size_t n,
				const struct gofunc *f)
{
	const struct code_point *at = k->has_entry ? &k->entry : &k->past_fault_entry;
	const struct code_window *w = &k->inline_entry;
	size_t i = 0;

	if ((!k->has_entry && !k->has_past_fault_entry) || at->off >= w->off + w->len ||
	    w->off > at->off)
		return;
	while (i < n && insns[i].address < f->vaddr + at->off)
		i++;
	assert_true(i < n);
	if (w->off != at->off || w->len != at->len)
		fail_msg("%s: its entry at +%u is displaced with others", f->name, at->off);
	if (insns[i].id != X86_INS_JMP && at->len != 2)
		fail_msg("%s: its entry at +%u cannot be put back", f->name, at->off);
}

/* Whole instructions that nothing jumps into; `enterable`: but to their first. */
static void assert_window(const cs_insn *insns, size_t n, const struct gofunc *f,
			  const struct code_window *w, bool enterable)
{
	uint64_t start = f->vaddr + w->off, end = start + w->len;
	bool starts = false, ends = false;
	unsigned n_jumps = 0;

	/* Nothing follows the last jump of a function. */
	if (n && end == f->vaddr + f->size)
		ends = insns[n - 1].id == X86_INS_JMP;

	assert_true(w->len >= WINDOW_SHORT_MIN);
	for (size_t i = 0; i < n; i++) {
		const cs_insn *in = &insns[i];
		uint64_t to = (uint64_t)in->detail->x86.operands[0].imm;
		bool jump = false;

		starts |= in->address == start;
		ends |= in->address == end;
		for (uint8_t g = 0; g < in->detail->groups_count; g++)
			jump |= in->detail->groups[g] == CS_GRP_JUMP;
		if (!jump || in->detail->x86.operands[0].type != X86_OP_IMM)
			continue;
		if (to >= start + enterable && to < end)
			fail_msg("%s: a branch goes into the bytes at +%u", f->name, w->off);
		if (in->address >= start && in->address < end)
			n_jumps += assert_jump(in, f, w);
	}
	assert_int_equal(n_jumps, w->n_jump_offs);
	if (!starts || !ends)
		fail_msg("%s: %u bytes at +%u are no whole instructions", f->name, w->len, w->off);
}

/* Every branch to the RET at `ret` is listed. */
static void assert_branches(const cs_insn *insns, size_t n, const struct gofunc *f,
			    const struct code_branches *b, uint64_t ret)
{
	unsigned found = 0;

	for (size_t i = 0; i < n; i++) {
		const cs_x86_op *op = insns[i].detail->x86.operands;
		bool jump = false, listed = false;

		for (uint8_t g = 0; g < insns[i].detail->groups_count; g++)
			jump |= insns[i].detail->groups[g] == CS_GRP_JUMP;
		if (!jump || op->type != X86_OP_IMM || (uint64_t)op->imm != ret)
			continue;
		for (uint8_t k = 0; k < b->n; k++)
			listed |= f->vaddr + b->at[k].off == insns[i].address &&
				  b->at[k].len == insns[i].size;
		if (!listed)
			fail_msg("%s: a branch to its RET is not listed", f->name);
		found++;
	}
	assert_int_equal(found, b->n);
}

struct inline_share {
	size_t entries, entries_ok, exits, exits_ok, branches;
	size_t rooms;
	size_t jumps, compares; /* entries whose windows have some */
};

static bool apart(const struct code_window *w, uint32_t off, uint32_t len)
{
	return off >= w->off + w->len || off + len <= w->off;
}

/* What is moved to make room neither calls nor returns, and is no place of a probe. */
static void assert_room(const cs_insn *insns, size_t n, const struct gofunc *f,
			const struct gocode *k, const struct code_window *w)
{
	assert_true(w->len >= INLINE_ROOM_MIN);
	assert_window(insns, n, f, w, true);
	for (size_t i = 0; i < n; i++)
		if (insns[i].address >= f->vaddr + w->off &&
		    insns[i].address < f->vaddr + w->off + w->len)
			for (uint8_t g = 0; g < insns[i].detail->groups_count; g++)
				assert_true(insns[i].detail->groups[g] != CS_GRP_CALL &&
					    insns[i].detail->groups[g] != CS_GRP_RET);
	assert_true(w->off > 0);
	assert_true(apart(w, k->inline_entry.off, k->inline_entry.len));
	if (k->has_entry)
		assert_true(apart(w, k->entry.off, k->entry.len));
	for (size_t r = 0; r < k->n_rets; r++) {
		const struct code_branches *b = &k->inline_branches[r];

		assert_true(apart(w, k->rets[r].off, 1));
		assert_true(apart(w, k->inline_rets[r].off, k->inline_rets[r].len));
		for (uint8_t i = 0; i < b->n; i++)
			assert_true(apart(w, b->at[i].off, b->at[i].len));
	}
	for (size_t r = 0; &k->inline_rooms[r] != w; r++)
		assert_true(apart(w, k->inline_rooms[r].off, k->inline_rooms[r].len));
}

static void check_inline(csh cs, const struct gobin *b, const struct gofunc *f,
			 const struct gocode *k, struct inline_share *n)
{
	const uint8_t *p = gobin_bytes(b, f->vaddr, f->size);
	bool merged = !k->has_entry && k->n_rets &&
		      (k->one_probe_leaf ||
		       (k->has_past_fault_entry && k->past_fault_entry.off == k->rets[0].off));
	cs_insn *insns;
	size_t n_insns = cs_disasm(cs, p, f->size, f->vaddr, 0, &insns);

	if (k->inline_entry.len) {
		assert_probed_alone(k, insns, n_insns, f);
		assert_window(insns, n_insns, f, &k->inline_entry, false);
		n->jumps += k->inline_entry.n_jump_offs > 0;
		n->compares += assert_compare(cs, insns, n_insns, f, &k->inline_entry);
	}
	n->entries++;
	n->entries_ok += k->inline_entry.len >= WINDOW_MIN || (merged && k->inline_rets[0].len);
	for (size_t r = 0; r < k->n_rets; r++) {
		const struct code_window *w = &k->inline_rets[r];
		const uint32_t to = k->inline_branches[r].n ? k->inline_branches[r].to
							    : k->rets[r].off;
		const uint64_t end = f->vaddr + to;

		n->exits++;
		n->exits_ok += w->len > 0;
		if (w->len || k->inline_branches[r].n)
			assert_branches(insns, n_insns, f, &k->inline_branches[r], end);
		n->branches += k->inline_branches[r].n;
		if (!w->len)
			continue;
		assert_window(insns, n_insns, f, w, true);
		assert_int_equal(w->off + w->len, to);
		if (k->inline_entry.len)
			assert_true(w->off >= k->inline_entry.off + k->inline_entry.len);
		assert_false(w->has_call);
	}
	n->rooms += k->n_inline_rooms;
	for (size_t r = 0; r < k->n_inline_rooms; r++)
		assert_room(insns, n_insns, f, k, &k->inline_rooms[r]);
	if (n_insns)
		cs_free(insns, n_insns);
}

/* Windows of inline stubs in all of the go command's functions but the runtime's. */
TEST(test_inline_windows)
{
	char path[4096];
	struct gobin *b;
	const struct gofunc *funcs;
	struct inline_share share = { 0 };
	csh cs;

	go_command(path, sizeof(path));
	b = open_path(path);
	assert_non_null(b);
	struct gocode_ctx *c = gocode_ctx_new(b);
	size_t n = gobin_funcs(b, &funcs);

	gocode_ctx_inline(c);
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	assert_int_equal(cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	for (size_t i = 0; i < n; i++) {
		struct gocode k;

		if (funcs[i].flags & (GOFUNC_ASM | GOFUNC_ABI0 | GOFUNC_WRAPPER) ||
		    strncmp(funcs[i].name, "runtime.", 8) == 0)
			continue;
		assert_int_equal(gocode_analyze(c, &funcs[i], &k), 0);
		if (k.status == CODE_OK && k.g_in_register)
			check_inline(cs, b, &funcs[i], &k, &share);
		gocode_free(&k);
	}
	assert_true(share.entries > 7500);
	assert_true(share.branches > 10);
	assert_true(share.jumps > 20);
	assert_true(share.compares > 5);
	assert_true(share.rooms > 50);
	assert_true(share.exits_ok * 1000 / share.exits >= 965);
	if (gobin_go_minor(b) >= 20)
		assert_true(share.entries_ok * 100 / share.entries >= 91);
	cs_close(&cs);
	gocode_ctx_free(c);
	gobin_close(b);
}

/* The body in assembly, not the wrapper by which Go calls it. */
static struct gocode analyze(const struct gobin *b, struct gocode_ctx *c, const char *name)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	struct gocode k = { 0 };

	for (size_t i = 0; i < n; i++)
		if (funcs[i].flags & GOFUNC_ASM && !strcmp(funcs[i].name, name)) {
			assert_int_equal(gocode_analyze(c, &funcs[i], &k), 0);
			assert_int_equal(k.status, CODE_OK);
			return k;
		}
	fail_msg("%s is not there", name);
	return k;
}

/* A function that runs straight to its RET is one event there, unless it takes long. */
TEST(test_straight)
{
	struct gobin *b = open_binary("kinds");
	struct gocode_ctx *c = gocode_ctx_new(b);

	gocode_ctx_inline(c);
	struct gocode k = analyze(b, c, "main.straight");
	assert_false(k.has_entry);
	assert_true(k.has_past_fault_entry);
	assert_int_equal(k.past_fault_entry.off, 0x78);
	assert_int_equal(k.inline_rets[0].off, 0x73);
	assert_int_equal(k.inline_rets[0].len, 5);
	assert_true(k.inline_rets[0].reads); /* rdx, which recording changes */
	assert_int_equal(k.inline_entry.len, 0);
	gocode_free(&k);

	k = analyze(b, c, "main.copies");
	assert_false(k.has_past_fault_entry);
	assert_false(k.one_probe_leaf);
	gocode_free(&k);
	gocode_ctx_free(c);
	gobin_close(b);
}

/* Entries whose windows are further on than the place that is probed without a stub. */
TEST(test_entry_further_on)
{
	static const struct {
		const char *name;
		uint32_t off;
		uint8_t len;
		bool further, past_fault;
	} funcs[] = {
		{ "main.endless", 7, 6, true, true },
		{ "main.pins", 1, 10, true, false },
		{ "main.waits", 14, 6, true, true },
		{ "main.framed", 4, 4, false,
		  false }, /* a call that faults would have another depth */
		{ "main.scratches", 1, 3, true, false }, /* r12 is in use behind that */
		{ "main.turns", 1, 3, true, false },
	};
	struct gobin *b = open_binary("kinds");
	struct gocode_ctx *c = gocode_ctx_new(b);

	gocode_ctx_inline(c);
	for (size_t i = 0; i < sizeof(funcs) / sizeof(*funcs); i++) {
		struct gocode k = analyze(b, c, funcs[i].name);
		const struct code_window *w = &k.inline_entry;

		if (w->off != funcs[i].off || w->len != funcs[i].len)
			fail_msg("%s: %u bytes from +%u", funcs[i].name, w->len, w->off);
		assert_int_equal(w->further, funcs[i].further);
		assert_int_equal(w->past_fault, funcs[i].past_fault);
		assert_false(k.has_past_fault_entry);
		gocode_free(&k);
	}
	gocode_ctx_free(c);
	gobin_close(b);
}

/* Branches to the instruction before a RET: the call is recorded there, whichever way it comes. */
TEST(test_branch_before_ret)
{
	struct gobin *b = open_binary("kinds");
	struct gocode_ctx *c = gocode_ctx_new(b);

	gocode_ctx_inline(c);
	struct gocode k = analyze(b, c, "main.leaves");
	const struct code_branches *from = k.inline_branches;
	const struct code_window *w = k.inline_rets;

	assert_int_equal(k.n_rets, 1);
	assert_int_equal(from->n, 1);
	assert_int_equal(from->to, k.rets[0].off - 1);
	assert_int_equal(from->to_frame_bytes, 8);
	assert_int_equal(w->off + w->len, from->to);
	assert_int_equal(w->len, 7);
	assert_true(w->reads); /* with rsp as it is for who branches there */
	assert_int_equal(w->to_frame_after_bytes, 8);
	gocode_free(&k);

	k = analyze(b, c, "main.results");
	assert_int_equal(k.inline_branches[0].n, 0);
	gocode_free(&k);
	gocode_ctx_free(c);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_inline_windows, test_straight, test_entry_further_on,
	      test_branch_before_ret)

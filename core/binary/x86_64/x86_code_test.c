/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>

#include "binary/gobin_impl.h"
#include "binary/gocode_impl.h"

static struct gocode analyze(const struct gobin *b, struct gocode_ctx *c, const char *name)
{
	const struct gofunc *f = gobin_func_named(b, name);
	struct gocode code;

	if (!f)
		fail_msg("%s is not there", name);
	assert_int_equal(gocode_analyze(c, f, &code), 0);
	return code;
}

static uint8_t byte_at(const struct gobin *b, const char *name, uint32_t off)
{
	const struct gofunc *f = gobin_func_named(b, name);
	const uint8_t *p = gobin_bytes(b, f->vaddr + off, 1);

	assert_non_null(p);
	return *p;
}

/* Since Go 1.21 %rbp is pushed right after the check. */
static void assert_checked(const struct gobin *b, const struct gocode *k, const char *name)
{
	assert_int_equal(k->status, CODE_OK);
	assert_true(k->has_check);
	assert_true(k->g_in_register);
	assert_true(k->has_entry);
	assert_true(k->entry.off > 0);
	assert_int_equal(k->entry.class, INSN_EMULATED);
	assert_int_equal(k->n_morestack, 1);
	assert_int_equal(byte_at(b, name, k->morestack[0].off), 0xe8);
	assert_int_equal(k->start.off, 0);
	if (gobin_go_minor(b) < 21)
		return;
	assert_int_equal(byte_at(b, name, k->entry.off), 0x55);
	assert_int_equal(k->entry.to_frame_bytes, 0);
	assert_false(k->entry.check_jcc);
}

static const char *const variants[] = {
	"kinds", "kinds.stripped", "kinds.pie", "kinds.pie.stripped", "kinds.noinline",
};
#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

TEST(test_checked)
{
	static const char *const names[] = {
		"main.callsInlined", "main.largeFrame",    "main.hugeFrame", "main.table",
		"main.recursive",    "main.(*named).Name", "main.withDefer", "main.onlyPanics",
	};

	for (size_t v = 0; v <= N_VARIANTS; v++) {
		/* which calls a function before the check */
		struct gobin *b = open_binary(v < N_VARIANTS ? variants[v] : "kinds.maymorestack");
		struct gocode_ctx *c = gocode_ctx_new(b);

		assert_non_null(c);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			struct gocode k = analyze(b, c, names[i]);

			assert_checked(b, &k, names[i]);
			assert_int_equal(k.n_tails, 0);
			/* it never returns */
			assert_int_equal(k.n_rets == 0, strcmp(names[i], "main.onlyPanics") == 0);
			for (size_t r = 0; r < k.n_rets; r++) {
				assert_int_equal(byte_at(b, names[i], k.rets[r].off), 0xc3);
				assert_int_equal(k.rets[r].class, INSN_STEP);
				assert_int_equal(k.rets[r].len, 1);
				assert_true(k.rets[r].plain_ret);
			}
			gocode_free(&k);
		}
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

TEST(test_unchecked)
{
	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v]);
		struct gocode_ctx *c = gocode_ctx_new(b);
		struct gocode k = analyze(b, c, "main.empty");

		assert_false(k.has_check);
		assert_false(k.has_entry);
		assert_true(k.g_in_register);
		assert_int_equal(k.n_rets, 1);
		assert_int_equal(k.rets[0].off, 0);
		gocode_free(&k);

		k = analyze(b, c, "main.leaf"); /* straight arithmetic: nothing emulated */
		assert_false(k.has_check);
		assert_false(k.has_entry);
		assert_int_equal(k.start.class, INSN_STEP);
		assert_int_equal(k.n_rets, 1);
		assert_true(k.one_probe_leaf); /* its RET says it all */
		assert_int_equal(k.line_end, LINE_FLOW);
		gocode_free(&k);

		/* a call that dereferences nil has been entered: no site after that instruction */
		k = analyze(b, c, "main.mayFault");
		assert_false(k.has_check);
		assert_false(k.has_entry);
		assert_false(k.one_probe_leaf);
		assert_int_equal(k.line_end, LINE_FAULT);
		/* but for one that is told of calls which fault */
		assert_true(k.has_past_fault_entry);
		assert_int_equal(k.past_fault_entry.class, INSN_EMULATED);
		assert_true(k.past_fault_entry.off > 0);
		gocode_free(&k);

		k = analyze(b, c, "main.noSplit"); /* a load, arithmetic, RET */
		assert_false(k.has_check);
		assert_false(k.one_probe_leaf);
		assert_true(k.has_past_fault_entry);
		assert_int_equal(k.past_fault_entry.off, k.rets[0].off);
		assert_true(k.past_fault_entry.plain_ret);
		assert_int_equal(k.n_morestack, 0);
		gocode_free(&k);

		k = analyze(b, c, "runtime.gogo"); /* assembly, ends in jmp *%rbx */
		assert_false(k.g_in_register);
		gocode_free(&k);
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

/* One event says all of a call that only goes on to a RET. */
TEST(test_brief)
{
	static const struct {
		const char *name;
		bool brief, late;
	} funcs[] = {
		{ "main.special", true, false },
		{ "main.(*pair).sign", true, true }, /* what it reads later cannot fault any more */
		{ "main.(*pair).follow", false, true }, /* this may, and has not returned then */
		{ "main.mayFault", true, true },
		{ "main.loop", false, false },
		{ "main.leaf", false, false }, /* no instruction that the kernel emulates */
		{ "main.empty", false, false },
		{ "main.recursive", false, false }, /* a call */
		{ "main.table", false, false },
	};

	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v]);
		struct gocode_ctx *c = gocode_ctx_new(b);

		for (size_t i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
			struct gocode k = analyze(b, c, funcs[i].name);

			if (k.brief != funcs[i].brief)
				fail_msg("%s, %s: brief is %d", variants[v], funcs[i].name,
					 k.brief);
			if (funcs[i].late)
				assert_true(k.has_past_fault_entry);
			if (k.brief)
				assert_int_equal((k.has_entry ? k.entry : k.past_fault_entry).class,
						 INSN_EMULATED);
			gocode_free(&k);
		}
		gocode_ctx_free(c);
		gobin_close(b);
	}
}

TEST(test_loop_at_start)
{
	struct gobin *b = open_binary("kinds");
	struct gocode_ctx *c = gocode_ctx_new(b);
	struct gocode k = analyze(b, c, "main.loop");

	/* The loop comes back to the first instruction or to the one after it, never past an entry
	 * probe. */
	assert_false(k.has_check);
	if (k.loop_at_start)
		assert_false(k.has_entry);
	gocode_free(&k);
	if (gobin_go_minor(b) >= 19) { /* its loop head is its first byte, in every Go so far */
		k = analyze(b, c, "runtime.(*gcControllerState).memoryLimitHeapGoal");
		assert_true(k.loop_at_start);
		assert_false(k.has_entry);
		gocode_free(&k);
	}
	gocode_ctx_free(c);
	gobin_close(b);
}

/* Not the wrapper by which Go calls it. */
static const struct gofunc *in_assembly(const struct gobin *b, const char *name)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);

	for (size_t i = 0; i < n; i++)
		if (funcs[i].flags & GOFUNC_ASM && !strcmp(funcs[i].name, name))
			return &funcs[i];
	fail_msg("%s is not there", name);
	return NULL;
}

TEST(test_tail_jumps)
{
	struct gobin *b = open_binary("kinds");
	struct gocode_ctx *c = gocode_ctx_new(b);
	/* assembly that hands over to a body it shares */
	struct gocode k = analyze(b, c, "internal/bytealg.IndexByteString");
	const struct gofunc *target;

	assert_int_equal(k.n_tails, 1);
	assert_int_equal(k.tails[0].at.to_frame_bytes, 0);
	target = gobin_func_at(b, k.tails[0].target);
	assert_non_null(target);
	assert_int_equal(target->vaddr, k.tails[0].target);
	assert_non_null(strstr(target->name, "indexbytebody"));
	gocode_free(&k);
	/* loads the embedded pointer and jumps to its method; Go 1.20 to 1.23 called it */
	k = analyze(b, c, "main.(*outer).Name");
	if (gobin_go_minor(b) == 19 || gobin_go_minor(b) >= 24) {
		assert_int_equal(k.n_tails, 1);
		assert_int_equal(k.n_rets, 0);
		assert_int_equal(k.tails[0].at.to_frame_bytes, 0);
		assert_ptr_equal(gobin_func_at(b, k.tails[0].target),
				 gobin_func_named(b, "main.(*named).Name"));
	} else {
		assert_int_equal(k.n_tails, 0);
		assert_int_equal(k.n_rets, 1);
	}
	gocode_free(&k);
	target = in_assembly(b, "main.first"); /* to the next function, right behind it */
	assert_int_equal(gocode_analyze(c, target, &k), 0);
	assert_int_equal(k.n_tails, 1);
	assert_int_equal(k.tails[0].target, in_assembly(b, "main.second")->vaddr);
	assert_int_equal(k.tails[0].target, target->vaddr + target->size);
	gocode_free(&k);
	k = analyze(b, c, "main.table"); /* its jump table is no way out */
	assert_int_equal(k.n_tails, 0);
	gocode_free(&k);
	gocode_ctx_free(c);
	gobin_close(b);
}

struct words {
	const struct gofunc *f;
	size_t in_f, all;
};

static void count_word(void *ctx, uint64_t vaddr)
{
	struct words *w = ctx;

	w->all++;
	w->in_f += vaddr > w->f->vaddr && vaddr < w->f->vaddr + w->f->size;
}

TEST(test_jump_table_words)
{
	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v]);
		struct words w = { .f = gobin_func_named(b, "main.table") };

		gobin_text_words(b, count_word, &w);
		assert_int_equal(w.in_f, 10); /* its ten cases */
		assert_true(w.all > w.in_f);  /* fmt and the runtime have some */
		gobin_close(b);
	}
}

/* What a second disassembler pass says about every branch of f: none but
 * morestack's may reach back to the entry site or to what stands before it. */
static void assert_reached_once(csh cs, const struct gobin *b, const struct gofunc *f,
				const struct gocode *k)
{
	cs_insn *insns;
	size_t n = cs_disasm(cs, gobin_bytes(b, f->vaddr, f->size), f->size, f->vaddr, 0, &insns);

	for (size_t i = 0; i < n; i++) {
		const cs_x86_op *op = &insns[i].detail->x86.operands[0];

		if (!cs_insn_group(cs, &insns[i], CS_GRP_JUMP) || op->type != X86_OP_IMM)
			continue;
		uint64_t to = (uint64_t)op->imm;
		if (to > f->vaddr && to <= f->vaddr + k->entry.off)
			fail_msg("%s: a branch enters its prologue at +%llu", f->name,
				 (unsigned long long)(to - f->vaddr));
		if (to == f->vaddr && k->n_morestack == 0)
			fail_msg("%s: a branch comes back to its start", f->name);
	}
	if (n)
		cs_free(insns, n);
}

/* A brief function neither calls nor comes back nor leaves but by RET, says a full decoder. */
static void assert_brief(csh cs, const struct gobin *b, const struct gofunc *f)
{
	const uint8_t *p = gobin_bytes(b, f->vaddr, f->size);
	cs_insn *insns;
	size_t n = cs_disasm(cs, p, f->size, f->vaddr, 0, &insns);

	for (size_t i = 0; i < n; i++) {
		const cs_insn *in = &insns[i];
		const cs_x86_op *op = in->detail->x86.operands;

		if (cs_insn_group(cs, in, CS_GRP_CALL))
			fail_msg("%s: is brief and calls", f->name);
		if (!cs_insn_group(cs, in, CS_GRP_JUMP))
			continue;
		assert_int_equal(op->type, X86_OP_IMM);
		if ((uint64_t)op->imm <= in->address || (uint64_t)op->imm >= f->vaddr + f->size)
			fail_msg("%s: is brief and jumps from %llx to %llx", f->name,
				 (unsigned long long)in->address, (unsigned long long)op->imm);
	}
	assert_true(n > 1);
	cs_free(insns, n);
}

/* The compiler's own table of rsp agrees at every RET and tail jump. */
static void assert_exits(const struct gobin *b, const struct gofunc *f, const struct gocode *k)
{
	int32_t down;

	for (size_t r = 0; r < k->n_rets; r++)
		if (gobin_sp_delta(b, f, f->vaddr + k->rets[r].off, &down) < 0 || down != 0)
			fail_msg("%s: RET at +%u with %d bytes of frame", f->name, k->rets[r].off,
				 down);
	for (size_t t = 0; t < k->n_tails; t++) {
		const struct code_tail *tail = &k->tails[t];
		const struct gofunc *to = gobin_func_at(b, tail->target);

		if (tail->at.to_frame_bytes || (tail->target && (!to || to->vaddr != tail->target)))
			fail_msg("%s: tail jump at +%u to no function", f->name, tail->at.off);
	}
}

static void check_whole_binary(const char *path, size_t *entries, size_t *checked)
{
	struct gobin *b = open_path(path);
	assert_non_null(b);
	struct gocode_ctx *c = gocode_ctx_new(b);
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs), loops = 0, tails = 0, briefs = 0;
	csh cs;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	assert_int_equal(cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	*entries = *checked = 0;
	for (size_t i = 0; i < n; i++) {
		const struct gofunc *f = &funcs[i];
		struct gocode k;
		int32_t down;

		assert_int_equal(gocode_analyze(c, f, &k), 0);
		if (k.status != CODE_OK && !(f->flags & GOFUNC_ASM))
			fail_msg("%s: status %d", f->name, k.status);
		if (f->flags & GOFUNC_ASM || gobin_sp_delta(b, f, f->vaddr, &down) < 0) {
			gocode_free(&k);
			continue;
		}
		assert_exits(b, f, &k);
		tails += k.n_tails;
		if (k.has_entry && (gobin_sp_delta(b, f, f->vaddr + k.entry.off, &down) < 0 ||
				    down != k.entry.to_frame_bytes))
			fail_msg("%s: entry at +%u with rsp %d below, not %u", f->name, k.entry.off,
				 down, k.entry.to_frame_bytes);
		if (k.has_entry && i % 8 == 0)
			assert_reached_once(cs, b, f, &k);
		if (k.brief && !k.has_check)
			assert_brief(cs, b, f);
		briefs += k.brief;
		*entries += k.has_entry;
		*checked += k.has_check;
		loops += k.loop_at_start;
		if (k.has_check)
			assert_true(k.has_entry);
		gocode_free(&k);
	}
	assert_true(loops >= 1 && loops < 10);
	assert_true(tails >= 1 && tails < n / 10); /* method wrappers */
	assert_in_range(briefs * 100 / n, 1, 10);
	/* four of five functions have a check, and more can be entered at an emulated instruction
	 */
	assert_in_range(*checked * 100 / n, 60, 90);
	assert_true(*entries > *checked);
	cs_close(&cs);
	gocode_ctx_free(c);
	gobin_close(b);
}

TEST(test_whole_binaries)
{
	size_t entries[2], checked[2];

	check_whole_binary(binary_path("kinds"), &entries[0], &checked[0]);
	check_whole_binary(binary_path("kinds.pie.stripped"), &entries[1], &checked[1]);
	assert_int_equal(entries[0], entries[1]);
	assert_int_equal(checked[0], checked[1]);
	check_whole_binary(binary_path("user"), &entries[0], &checked[0]);
	check_whole_binary(binary_path("cgo"), &entries[0], &checked[0]);
	check_whole_binary(binary_path("cgo.pie.stripped"), &entries[1], &checked[1]);
	assert_int_equal(entries[0], entries[1]);
	assert_int_equal(checked[0], checked[1]);
}

/* 15,000 functions. */
TEST(test_go_command)
{
	char path[4096];
	size_t entries, checked;

	go_command(path, sizeof(path));
	check_whole_binary(path, &entries, &checked);
	assert_true(checked > 7500);
}

/* As gocode_targeted has it, branch for branch. */
static bool is_branch_target(const struct body *y, uint32_t lo, uint32_t hi)
{
	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		if ((in->flow == FLOW_JMP || in->flow == FLOW_JCC) && in->target >= lo &&
		    in->target <= hi)
			return true;
	}
	return gocode_in_table(y, lo, hi);
}

/* From the first byte on, to which morestack's way back goes, only what is left out may differ. */
TEST(test_targets)
{
	struct gobin *b = open_binary("kinds");
	struct gocode_ctx *c = gocode_ctx_new(b);
	const struct gofunc *funcs;
	const size_t n = gobin_funcs(b, &funcs);
	size_t targeted = 0, asked = 0;

	assert_non_null(c);
	for (size_t k = 0; k < n; k += 7) {
		struct body y = { .c = c,
				  .f = &funcs[k],
				  .code = gobin_bytes(b, funcs[k].vaddr, funcs[k].size) };

		if (gocode_decode(&y))
			continue;
		for (size_t i = 1; i < y.n; i++)
			for (uint32_t len = 0; len <= 160; len += 32) {
				const uint32_t lo = y.insns[i].off, hi = lo + len;

				if (hi >= y.f->size)
					break;
				const bool is = gocode_targeted(&y, lo, hi);
				assert_int_equal(is, is_branch_target(&y, lo, hi));
				targeted += is;
				asked++;
			}
	}
	assert_true(targeted > 1000 && targeted < asked - 1000);
	gocode_ctx_free(c);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_checked, test_unchecked, test_brief, test_loop_at_start,
	      test_tail_jumps, test_jump_table_words, test_whole_binaries, test_go_command,
	      test_targets)

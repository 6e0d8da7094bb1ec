// SPDX-License-Identifier: BSD-2-Clause
/* What a second disassembler pass says of stubs and of the bytes that they take the place of. */
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>

#include "binary/gocode.h"
#include "bpf/event.h"
#include "plan/plan.h"

struct look {
	csh cs;
	const struct gobin *b;
	struct plan *p;
};

static const char *const all[] = { "all" };

static struct look look_at(const char *name, enum stub_kind kind)
{
	const struct plan_options opt = {
		.packages = all,
		.n_packages = 1,
		.strategy = PROBE_SPRINGBOARD,
		.stub = kind,
	};
	struct look l = { .b = open_binary(name) };

	l.p = plan_build(l.b, &opt);
	assert_non_null(l.p);
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &l.cs), CS_ERR_OK);
	assert_int_equal(cs_option(l.cs, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
	return l;
}

static void close_look(struct look *l)
{
	cs_close(&l->cs);
	plan_free(l->p);
	gobin_close((struct gobin *)l->b);
}

static const char *of(const struct look *l, const struct plan_site *s)
{
	return l->p->funcs[s->func].name;
}

/* From where the jump enters: the displaced bytes, a nop before or behind them when it
 * is one that is probed, and the way back. */
static void check_stub(const struct look *l, const struct plan_site *s)
{
	const uint8_t *at = l->p->stubs.code + s->enter_off;
	const uint8_t *file = gobin_bytes(l->b, s->window_vaddr, s->window_len);
	unsigned nop = s->stub_kind == STUB_NOP5 ? 5 : s->stub_kind == STUB_NOP10 ? 10 : 0;
	unsigned displaced = nop && s->link == LINK_ENTRY ? nop : 0;
	unsigned back = s->window_len + nop;
	uint64_t vaddr = l->p->stubs.vaddr + s->enter_off;
	int32_t rel;

	assert_true(s->window_len >= 5);
	assert_true(s->enter_off > 0 && s->enter_off + back + 5 <= l->p->stubs.bytes);
	assert_memory_equal(at + displaced, file, s->window_len);
	assert_int_equal(at[back], 0xe9);
	memcpy(&rel, at + back + 1, 4);
	assert_true(vaddr + back + 5 + (uint64_t)(int64_t)rel == s->window_vaddr + s->window_len);
	if (!nop) {
		assert_int_equal(s->stub_off, s->enter_off + back);
		return;
	}
	assert_int_equal(s->stub_off, s->enter_off + (displaced ? 0 : s->window_len));
	assert_int_equal(s->stub_off / 4096, (s->stub_off + nop - 1) / 4096);
	cs_insn *in;
	assert_int_equal(cs_disasm(l->cs, l->p->stubs.code + s->stub_off, nop, 0, 1, &in), 1);
	assert_int_equal(in->id, X86_INS_NOP);
	assert_int_equal(in->size, nop);
	cs_free(in, 1);
}

/* Nothing but falling through may lead behind the window's first byte, nor to a RET whose probe
 * the window's stub is; and what it holds must do the same anywhere. */
static void check_window(const struct look *l, const struct plan_site *s)
{
	const struct gofunc *f = l->p->funcs[s->func].fn;
	uint64_t first = s->window_vaddr + (s->link == LINK_EXIT),
		 last = s->window_vaddr + s->window_len;
	uint64_t end = last;
	cs_insn *in;
	size_t n = cs_disasm(l->cs, gobin_bytes(l->b, f->vaddr, f->size), f->size, f->vaddr, 0,
			     &in);

	if (s->link == LINK_ENTRY)
		last--;
	for (size_t i = 0; i < n; i++) {
		const cs_x86 *x = &in[i].detail->x86;
		bool inside = in[i].address >= s->window_vaddr && in[i].address < end;

		if (cs_insn_group(l->cs, &in[i], CS_GRP_JUMP) &&
		    x->operands[0].type == X86_OP_IMM && (uint64_t)x->operands[0].imm >= first &&
		    (uint64_t)x->operands[0].imm <= last)
			fail_msg("%s: a branch goes to %llx, inside a window", of(l, s),
				 (unsigned long long)x->operands[0].imm);
		if (inside && (cs_insn_group(l->cs, &in[i], CS_GRP_JUMP) ||
			       cs_insn_group(l->cs, &in[i], CS_GRP_CALL) ||
			       cs_insn_group(l->cs, &in[i], CS_GRP_RET)))
			fail_msg("%s: %s is displaced", of(l, s), in[i].mnemonic);
		for (uint8_t k = 0; inside && k < x->op_count; k++)
			if (x->operands[k].type == X86_OP_MEM &&
			    x->operands[k].mem.base == X86_REG_RIP)
				fail_msg("%s: %s %s is displaced", of(l, s), in[i].mnemonic,
					 in[i].op_str);
		if (inside && in[i].address + in[i].size > end)
			fail_msg("%s: the window ends inside an instruction", of(l, s));
	}
	if (n)
		cs_free(in, n);
	if (s->link == LINK_EXIT)
		assert_int_equal(end, s->vaddr); /* right before its RET */
	assert_true(s->window_vaddr > f->vaddr);
	assert_false(f->flags & (GOFUNC_ASM | GOFUNC_ABI0 | GOFUNC_FIPS));
}

static int by_window(const void *a, const void *b)
{
	const struct plan_site *x = *(const struct plan_site *const *)a,
			       *y = *(const struct plan_site *const *)b;

	return x->window_vaddr < y->window_vaddr ? -1 : x->window_vaddr > y->window_vaddr;
}

/* Windows lie apart from one another, and hold no instruction that is probed in the text. */
static void check_apart(const struct look *l)
{
	const struct plan_site **w = calloc(l->p->n_sites, sizeof(*w));
	size_t n = 0;

	for (size_t i = 0; i < l->p->n_sites; i++)
		if (l->p->sites[i].window_len)
			w[n++] = &l->p->sites[i];
	assert_int_equal(n, l->p->stubs.n_sites);
	qsort(w, n, sizeof(*w), by_window);
	for (size_t i = 1; i < n; i++)
		if (w[i - 1]->window_vaddr + w[i - 1]->window_len > w[i]->window_vaddr)
			fail_msg("%s: windows overlap", of(l, w[i]));
	for (size_t i = 0; i < l->p->n_sites; i++) {
		const struct plan_site *s = &l->p->sites[i];
		size_t a = 0, z = n;

		while (a < z) { /* the last window at or before the site */
			size_t mid = a + (z - a) / 2;

			if (w[mid]->window_vaddr <= s->vaddr)
				a = mid + 1;
			else
				z = mid;
		}
		if (a && s->vaddr < w[a - 1]->window_vaddr + w[a - 1]->window_len && !s->window_len)
			fail_msg("a probe stands inside a window of %s", of(l, w[a - 1]));
	}
	free(w);
}

static const char *const variants[] = { "kinds", "kinds.stripped", "kinds.pie", "kinds.noinline",
					"cgo" };

static void stubs_do_what_they_replace(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		for (enum stub_kind kind = STUB_JUMP; kind <= STUB_NOP10; kind++) {
			struct look l = look_at(variants[v], kind);

			for (size_t i = 0; i < l.p->n_sites; i++) {
				if (!l.p->sites[i].window_len)
					continue;
				check_stub(&l, &l.p->sites[i]);
				check_window(&l, &l.p->sites[i]);
			}
			check_apart(&l);
			close_look(&l);
		}
	}
}

/* Most exits have one, and every site says what became of it. */
static void most_exits_have_one(void **state)
{
	struct look l = look_at("kinds", STUB_JUMP);
	size_t exits = 0, with = 0;

	(void)state;
	for (size_t i = 0; i < l.p->n_sites; i++) {
		const struct plan_site *s = &l.p->sites[i];

		assert_int_equal(s->window_len > 0, s->stub_why == STUB_HAS_ONE);
		if (s->kind != EV_EXIT)
			continue;
		exits++;
		with += s->window_len > 0;
		assert_int_equal(s->class, s->window_len ? INSN_EMULATED : INSN_STEP);
		assert_int_not_equal(s->stub_why, STUB_NOT_ASKED);
		assert_int_equal(s->stub_adj, 0);
	}
	assert_true(with * 100 > exits * 85);
	assert_int_not_equal(l.p->stubs.vaddr, 0);
	assert_memory_equal(gobin_bytes(l.b, l.p->stubs.syscall_vaddr, 2), "\x0f\x05", 2);
	close_look(&l);
}

/* Nops only where the stack check keeps the function preemptible. */
static void nops_only_behind_a_check(void **state)
{
	struct look l = look_at("kinds.noinline", STUB_NOP5);
	struct gocode_ctx *c = gocode_ctx_new(l.b);
	size_t nops = 0, jumps = 0;

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < l.p->n_sites; i++) {
		const struct plan_site *s = &l.p->sites[i];
		struct gocode code;

		if (!s->window_len)
			continue;
		assert_int_equal(gocode_analyze(c, l.p->funcs[s->func].fn, &code), 0);
		if (s->stub_kind != STUB_JUMP)
			assert_true(code.has_check);
		nops += s->stub_kind != STUB_JUMP;
		jumps += s->stub_kind == STUB_JUMP;
		gocode_free(&code);
	}
	assert_true(nops > 0 && jumps > 0);
	gocode_ctx_free(c);
	close_look(&l);
}

static void dropped_stubs_leave_an_emulated_plan(void **state)
{
	const struct plan_options opt = { .packages = all,
					  .n_packages = 1,
					  .strategy = PROBE_EMULATED };
	struct look l = look_at("kinds", STUB_NOP5);
	struct plan *e = plan_build(l.b, &opt);

	(void)state;
	assert_non_null(e);
	plan_drop_stubs(l.p);
	assert_int_equal(e->n_sites, l.p->n_sites);
	for (size_t i = 0; i < e->n_sites; i++) {
		assert_int_equal(e->sites[i].class, l.p->sites[i].class);
		assert_true(e->sites[i].vaddr == l.p->sites[i].vaddr);
		assert_int_equal(l.p->sites[i].window_len, 0);
	}
	assert_int_equal(l.p->stubs.bytes, 0);
	plan_free(e);
	close_look(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stubs_do_what_they_replace),
		cmocka_unit_test(most_exits_have_one),
		cmocka_unit_test(nops_only_behind_a_check),
		cmocka_unit_test(dropped_stubs_leave_an_emulated_plan),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}

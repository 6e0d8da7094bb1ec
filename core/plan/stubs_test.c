// SPDX-License-Identifier: BSD-2-Clause
/* Stubs and the bytes that they displace, checked by disassembling both again. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <capstone/capstone.h>
#include <sys/resource.h>

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

/* From where the jump enters: the displaced bytes, a nop before or after them when a nop is
 * probed, and the jump back. */
static void check_stub(const struct look *l, const struct plan_site *s)
{
	const uint8_t *at = l->p->stubs.code + s->stub.enter_off;
	const uint8_t *file = gobin_bytes(l->b, s->stub.displaced_vaddr, s->stub.displaced_len);
	unsigned nop = s->stub.kind == STUB_NOP5 ? 5 : s->stub.kind == STUB_NOP10 ? 10 : 0;
	unsigned displaced = nop && s->program == PROGRAM_ENTRY ? nop : 0;
	unsigned back = s->stub.displaced_len + nop;
	uint64_t vaddr = l->p->stubs.vaddr + s->stub.enter_off;
	int32_t rel;

	assert_true(s->stub.displaced_len >= 5);
	assert_true(s->stub.enter_off > 0 && s->stub.enter_off + back + 5 <= l->p->stubs.bytes);
	assert_memory_equal(at + displaced, file, s->stub.displaced_len);
	assert_int_equal(at[back], 0xe9);
	memcpy(&rel, at + back + 1, 4);
	assert_true(vaddr + back + 5 + (uint64_t)(int64_t)rel ==
		    s->stub.displaced_vaddr + s->stub.displaced_len);
	if (!nop) {
		assert_int_equal(s->stub.probe_off, s->stub.enter_off + back);
		return;
	}
	assert_int_equal(s->stub.probe_off,
			 s->stub.enter_off + (displaced ? 0 : s->stub.displaced_len));
	assert_int_equal(s->stub.probe_off / 4096, (s->stub.probe_off + nop - 1) / 4096);
	cs_insn *in;
	assert_int_equal(cs_disasm(l->cs, l->p->stubs.code + s->stub.probe_off, nop, 0, 1, &in), 1);
	assert_int_equal(in->id, X86_INS_NOP);
	assert_int_equal(in->size, nop);
	cs_free(in, 1);
}

/* No branch may lead into the displaced bytes after the first, nor to a RET that is probed in the
 * stub; and the displaced instructions must do the same anywhere. */
static void check_window(const struct look *l, const struct plan_site *s)
{
	const struct gofunc *f = l->p->funcs[s->func].fn;
	uint64_t first = s->stub.displaced_vaddr + (s->program == PROGRAM_EXIT),
		 last = s->stub.displaced_vaddr + s->stub.displaced_len;
	uint64_t end = last;
	cs_insn *in;
	size_t n = cs_disasm(l->cs, gobin_bytes(l->b, f->vaddr, f->size), f->size, f->vaddr, 0,
			     &in);

	if (s->program == PROGRAM_ENTRY)
		last--;
	for (size_t i = 0; i < n; i++) {
		const cs_x86 *x = &in[i].detail->x86;
		bool inside = in[i].address >= s->stub.displaced_vaddr && in[i].address < end;

		if (cs_insn_group(l->cs, &in[i], CS_GRP_JUMP) &&
		    x->operands[0].type == X86_OP_IMM && (uint64_t)x->operands[0].imm >= first &&
		    (uint64_t)x->operands[0].imm <= last)
			fail_msg("%s: a branch goes to %llx, inside displaced bytes", of(l, s),
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
			fail_msg("%s: displaced bytes end inside an instruction", of(l, s));
	}
	if (n)
		cs_free(in, n);
	if (s->program == PROGRAM_EXIT)
		assert_int_equal(end, s->vaddr); /* right before its RET */
	assert_true(s->stub.displaced_vaddr > f->vaddr);
	assert_false(f->flags & (GOFUNC_ASM | GOFUNC_ABI0 | GOFUNC_FIPS));
}

static int by_window(const void *a, const void *b)
{
	const struct plan_site *x = *(const struct plan_site *const *)a,
			       *y = *(const struct plan_site *const *)b;

	return x->stub.displaced_vaddr < y->stub.displaced_vaddr
		       ? -1
		       : x->stub.displaced_vaddr > y->stub.displaced_vaddr;
}

/* Displaced bytes of two sites do not overlap, and hold no instruction that is probed in the text.
 */
static void check_apart(const struct look *l)
{
	const struct plan_site **w = calloc(l->p->n_sites, sizeof(*w));
	size_t n = 0;

	for (size_t i = 0; i < l->p->n_sites; i++)
		if (site_has_stub(&l->p->sites[i]))
			w[n++] = &l->p->sites[i];
	assert_int_equal(n, l->p->stubs.n_sites);
	qsort(w, n, sizeof(*w), by_window);
	for (size_t i = 1; i < n; i++)
		if (w[i - 1]->stub.displaced_vaddr + w[i - 1]->stub.displaced_len >
		    w[i]->stub.displaced_vaddr)
			fail_msg("%s: displaced bytes overlap", of(l, w[i]));
	for (size_t i = 0; i < l->p->n_sites; i++) {
		const struct plan_site *s = &l->p->sites[i];
		size_t a = 0, z = n;

		while (a < z) { /* the last window at or before the site */
			size_t mid = a + (z - a) / 2;

			if (w[mid]->stub.displaced_vaddr <= s->vaddr)
				a = mid + 1;
			else
				z = mid;
		}
		if (a && s->vaddr < w[a - 1]->stub.displaced_vaddr + w[a - 1]->stub.displaced_len &&
		    !site_has_stub(s))
			fail_msg("a probe stands inside displaced bytes of %s", of(l, w[a - 1]));
	}
	free(w);
}

static const char *const variants[] = { "kinds", "kinds.stripped", "kinds.pie", "kinds.noinline",
					"cgo" };

TEST(stubs_do_what_they_replace)
{
	for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		for (enum stub_kind kind = STUB_JUMP; kind <= STUB_NOP10; kind++) {
			struct look l = look_at(variants[v], kind);

			for (size_t i = 0; i < l.p->n_sites; i++) {
				if (!site_has_stub(&l.p->sites[i]))
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
TEST(most_exits_have_one)
{
	struct look l = look_at("kinds", STUB_JUMP);
	size_t exits = 0, with = 0;

	for (size_t i = 0; i < l.p->n_sites; i++) {
		const struct plan_site *s = &l.p->sites[i];

		assert_int_equal(site_has_stub(s), s->stub.why == STUB_HAS_ONE);
		if (s->kind != EV_EXIT)
			continue;
		exits++;
		with += site_has_stub(s);
		assert_int_equal(s->insn_class, INSN_STEP);
		assert_int_equal(site_is_stepped(s), !site_has_stub(s));
		assert_int_not_equal(s->stub.why, STUB_NOT_ASKED);
		assert_int_equal(s->stub.to_frame_bytes, 0);
	}
	assert_true(with * 100 > exits * 85);
	assert_int_not_equal(l.p->stubs.vaddr, 0);
	assert_memory_equal(gobin_bytes(l.b, l.p->stubs.syscall_vaddr, 2), "\x0f\x05", 2);
	close_look(&l);
}

/* Nops only where the stack check keeps the function preemptible. */
TEST(nops_only_after_a_check)
{
	struct look l = look_at("kinds.noinline", STUB_NOP5);
	struct gocode_ctx *c = gocode_ctx_new(l.b);
	size_t nops = 0, jumps = 0;

	assert_non_null(c);
	for (size_t i = 0; i < l.p->n_sites; i++) {
		const struct plan_site *s = &l.p->sites[i];
		struct gocode code;

		if (!site_has_stub(s))
			continue;
		assert_int_equal(gocode_analyze(c, l.p->funcs[s->func].fn, &code), 0);
		if (s->stub.kind != STUB_JUMP)
			assert_true(code.has_check);
		nops += s->stub.kind != STUB_JUMP;
		jumps += s->stub.kind == STUB_JUMP;
		gocode_free(&code);
	}
	assert_true(nops > 0 && jumps > 0);
	gocode_ctx_free(c);
	close_look(&l);
}

/* What a recording relies on that leaves stubs out. */
TEST(without_its_stubs_it_is_the_emulated_plan)
{
	const struct plan_options opt = { .packages = all,
					  .n_packages = 1,
					  .strategy = PROBE_EMULATED };
	struct look l = look_at("kinds", STUB_NOP5);
	struct plan *e = plan_build(l.b, &opt);

	assert_non_null(e);
	assert_int_equal(e->n_sites, l.p->n_sites);
	for (size_t i = 0; i < e->n_sites; i++) {
		const struct plan_site *a = &e->sites[i], *b = &l.p->sites[i];

		assert_false(site_has_stub(a));
		assert_int_equal(a->vaddr, b->vaddr);
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->insn_class, b->insn_class);
		assert_int_equal(a->to_frame_bytes, b->to_frame_bytes);
	}
	assert_int_equal(e->stubs.bytes, 0);
	plan_free(e);
	close_look(&l);
}

/* No page of theirs is below the lowest address that a process may map (vm.mmap_min_addr), and none
 * in the image. */
TEST(where_they_lie)
{
	static const char *const names[] = { "kinds", "kinds.low", "kinds.pie" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (enum probe_strategy s = PROBE_INLINE; s <= PROBE_SPRINGBOARD; s++) {
			const struct plan_options opt = { .strategy = s };
			struct gobin *b = open_binary(names[i]);
			struct plan *p = plan_build(b, &opt);
			uint64_t lo, hi;

			assert_non_null(p);
			gobin_image(b, &lo, &hi);
			assert_true(p->stubs.bytes > 0);
			assert_true(p->stubs.vaddr >= 0x10000);
			/* runtime/pprof takes the first executable mapping for the program */
			assert_true(p->stubs.vaddr >= hi);
			plan_free(p);
			gobin_close(b);
		}
	/* Something else is above it. */
	const struct plan_options opt = { .strategy = PROBE_INLINE, .stubs_below = true };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_build(b, &opt);
	uint64_t lo, hi;

	assert_non_null(p);
	gobin_image(b, &lo, &hi);
	assert_true(p->stubs.bytes > 0 && p->stubs.vaddr >= 0x10000);
	assert_true(p->stubs.vaddr + p->stubs.bytes <= lo);
	plan_free(p);
	gobin_close(b);
}

/* No two files of stubs have probes at the same offsets, and each may be written. */
TEST(files_are_apart)
{
	struct rlimit was, small;
	uint64_t at[8];

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = was;
	for (int i = 0; i < 8; i++) {
		struct look l = look_at("kinds", STUB_JUMP);
		const struct plan_stubs *t = &l.p->stubs;

		at[i] = t->file_off;
		assert_true(t->bytes && at[i] % 4096 == 0);
		for (int k = 0; k < i && was.rlim_cur == RLIM_INFINITY; k++)
			assert_true(at[i] > at[k] ? at[i] - at[k] >= t->bytes
						  : at[k] - at[i] >= t->bytes);
		small.rlim_cur = t->bytes + 100 * 4096;
		close_look(&l);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 8; i++) {
		struct look l = look_at("kinds", STUB_JUMP);

		assert_true(l.p->stubs.file_off + l.p->stubs.bytes <= small.rlim_cur);
		close_look(&l);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
}

TESTS_BETWEEN(set_up_binaries, NULL, stubs_do_what_they_replace, most_exits_have_one,
	      nops_only_after_a_check, without_its_stubs_it_is_the_emulated_plan, where_they_lie,
	      files_are_apart)

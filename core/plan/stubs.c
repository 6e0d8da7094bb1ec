// SPDX-License-Identifier: BSD-2-Clause
#include "plan/stubs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "plan/stub_code.h"

#define PAGE         4096ull
#define ALIGN        16            /* of a stub: one cache line fetches most of them */
#define LOWEST_VADDR 0x10000ull    /* vm.mmap_min_addr as the kernel ships it */
#define HIGH_VADDR   0x60000000ull /* above the bss of all but giants, out of brk's way */

static const struct {
	const char *name, *clause;
} reasons[STUB_REASONS] = {
	[STUB_NOT_ASKED] = { "none", "no stub is asked for" },
	[STUB_HAS_ONE] = { "stub", "runs in a stub: one trap" },
	[STUB_CHEAP] = { "cheap", "the kernel emulates the instruction: one trap as it is" },
	[STUB_SHORT] = { "short", "fewer than five bytes can be displaced there" },
	[STUB_TARGET] = { "target", "a branch goes into the bytes" },
	[STUB_FLOW] = { "flow", "a call or branch stands there" },
	[STUB_FAULT] = { "fault", "an instruction there may fault and must keep its address" },
	[STUB_FIXED] = { "fixed", "an instruction there does not work at another address" },
	[STUB_RUNTIME] = { "runtime", "the runtime's own code stays as it is" },
};

const char *stub_reason_name(enum stub_reason r)
{
	return reasons[r].name;
}

const char *stub_reason_clause(enum stub_reason r)
{
	return reasons[r].clause;
}

static enum stub_reason reason_of(const struct code_window *w)
{
	static const uint8_t of_fate[WINDOW_FATES] = {
		[WINDOW_OK] = STUB_SHORT,      [WINDOW_SHORT] = STUB_SHORT,
		[WINDOW_TARGET] = STUB_TARGET, [WINDOW_FLOW] = STUB_FLOW,
		[WINDOW_FAULT] = STUB_FAULT,   [WINDOW_FIXED] = STUB_FIXED,
	};

	return w->len ? STUB_HAS_ONE : of_fate[w->fate];
}

static void give_stub(struct plan *p, struct plan_site *s, const struct code_window *w,
		      enum stub_kind kind)
{
	const struct plan_func *f = &p->funcs[s->func];
	struct site_stub *stub = &s->stub;

	stub->why = f->of_runtime ? STUB_RUNTIME : reason_of(w);
	if (stub->why != STUB_HAS_ONE)
		return;
	stub->kind = kind;
	stub->displaced_len = w->len;
	stub->displaced_vaddr = f->fn->vaddr + w->off;
	p->stubs.n_sites++;
	if (s->program == PROGRAM_EXIT)
		stub->rsp_to_ra_bytes = 0;
	else if (stub_code_layout(s).probe_at)
		stub->rsp_to_ra_bytes = w->rsp_to_ra_after_bytes;
	else
		stub->rsp_to_ra_bytes = w->rsp_to_ra_bytes;
}

void stubs_add_exit(struct plan *p, struct plan_site *s, const struct gocode *code, size_t ret)
{
	/* Without a stack check a function must not spend its time where it cannot be preempted. */
	give_stub(p, s, &code->ret_windows[ret],
		  code->check_window.len ? p->stubs.kind : STUB_JUMP);
}

void stubs_add_entry(struct plan *p, struct plan_site *s, const struct gocode *code)
{
	if (!code->has_entry && s->insn_class != INSN_EMULATED)
		give_stub(p, s, &code->leaf_window, STUB_JUMP);
	else if (code->has_entry && p->stubs.kind != STUB_JUMP && code->check_window.len)
		give_stub(p, s, &code->check_window, p->stubs.kind);
	else
		s->stub.why = STUB_CHEAP;
}

/* ---- where they lie */

static void lay_out(struct plan *p)
{
	uint64_t at = ALIGN; /* not 0 */

	for (size_t i = 0; i < p->n_sites; i++) {
		struct plan_site *s = &p->sites[i];

		if (!site_has_stub(s))
			continue;
		const struct stub_layout l = stub_code_layout(s);
		uint64_t probe = at + l.probe_at;
		if (probe / PAGE != (probe + l.one_page_len) / PAGE)
			at = (at + PAGE - 1) / PAGE * PAGE;
		s->stub.enter_off = at;
		s->stub.probe_off = at + l.probe_at;
		at = (at + l.bytes + ALIGN - 1) / ALIGN * ALIGN;
	}
	p->stubs.bytes = (at + PAGE - 1) / PAGE * PAGE;
}

/* Free addresses within reach of a jump: right below the image, else above it. */
static bool find_addresses(struct plan *p)
{
	uint64_t lo, hi, bytes = p->stubs.bytes + PAGE;

	gobin_image(p->binary, &lo, &hi);
	if (gobin_is_pie(p->binary) || lo >= LOWEST_VADDR + bytes)
		p->stubs.vaddr = (lo & ~(PAGE - 1)) - bytes;
	else if (hi < HIGH_VADDR)
		p->stubs.vaddr = HIGH_VADDR;
	else
		return false;
	/* Addresses wrap in a PIE, distances do not. */
	int64_t farthest = (int64_t)(hi - p->stubs.vaddr),
		nearest = (int64_t)(lo - (p->stubs.vaddr + bytes));
	return farthest < INT32_MAX && nearest > INT32_MIN;
}

/* Two such bytes anywhere in the text will do. */
static uint64_t find_syscall(const struct gobin *b)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);

	for (size_t i = 0; i < n; i++) {
		const uint8_t *code = funcs[i].flags & GOFUNC_ASM
					      ? gobin_bytes(b, funcs[i].vaddr, funcs[i].size)
					      : NULL;
		const uint8_t *at = code ? memmem(code, funcs[i].size, "\x0f\x05", 2) : NULL;

		if (at)
			return funcs[i].vaddr + (uint64_t)(at - code);
	}
	return 0;
}

static void remove_all(struct plan *p)
{
	for (size_t i = 0; i < p->n_sites; i++)
		p->sites[i].stub = (struct site_stub){ .why = STUB_NOT_ASKED };
	p->stubs = (struct plan_stubs){ 0 };
}

int stubs_finish(struct plan *p)
{
	struct plan_stubs *t = &p->stubs;
	int err = 0;

	if (!t->n_sites)
		return 0;
	/* The new image would have no stubs, and the sites that have one no probes in the text. */
	if (gobin_func_named(p->binary, "syscall.Exec"))
		t->obstacle =
			"it can execute itself anew (syscall.Exec), and the new image would not be patched";
	lay_out(p);
	t->syscall_vaddr = find_syscall(p->binary);
	if (!find_addresses(p) || !t->syscall_vaddr) {
		log_debug("no free addresses for %zu bytes of stubs within reach of the text",
			  t->bytes);
		remove_all(p);
		return 0;
	}
	t->code = malloc(t->bytes);
	if (!t->code)
		return -ENOMEM;
	memset(t->code, 0xcc, t->bytes); /* a stray jump traps */
	for (size_t i = 0; i < p->n_sites && !err; i++)
		if (site_has_stub(&p->sites[i]))
			err = stub_code_write(p, &p->sites[i]);
	return err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "plan/stubs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/*
 * A stub:             in the text:
 *   displaced bytes     jmp stub   (in place of the displaced bytes; what is left of them: int3)
 *   jmp back            ...        (the RET, or what follows the displaced bytes)
 *
 * The probe sits on `jmp back`, which the kernel executes itself: as the trap returns, and
 * signals are delivered, pc is in Go's text. With a nop in the stub it is not, and
 * the runtime refuses to preempt a goroutine at a pc it does not know: a loop that only calls
 * functions without a stack check could then never be stopped.
 */

#define PAGE         4096ull
#define ALIGN        16 /* of a stub: one cache line fetches most of them */
#define JMP_BYTES    5
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

/* Its stacks are checked by the linker to the last byte, and it runs where nothing may trap. */
static bool of_runtime(const char *symbol)
{
	static const char *const packages[] = { "runtime.", "runtime/internal/", "runtime/cgo.",
						"internal/runtime/" };

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (strncmp(symbol, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

static void give_stub(struct plan *p, struct plan_site *s, const struct gofunc *fn,
		      const struct code_window *w, enum stub_kind kind)
{
	s->stub_why = of_runtime(fn->name) ? STUB_RUNTIME : reason_of(w);
	if (s->stub_why != STUB_HAS_ONE)
		return;
	s->stub_kind = kind;
	s->window_len = w->len;
	s->window_vaddr = fn->vaddr + w->off;
	s->window_off = fn->file_off + w->off;
	s->stub_adj = s->link == LINK_EXIT ? 0 : kind == STUB_JUMP ? w->sp_adj_after : w->sp_adj;
	s->class = INSN_EMULATED;
	p->stubs.n_sites++;
}

void stubs_add_exit(struct plan *p, struct plan_site *s, const struct gocode *code, size_t ret)
{
	/* Without a stack check a function must not spend its time where it cannot be preempted. */
	give_stub(p, s, p->funcs[s->func].fn, &code->ret_windows[ret],
		  code->check_window.len ? p->stubs.kind : STUB_JUMP);
}

void stubs_add_entry(struct plan *p, struct plan_site *s, const struct gocode *code)
{
	const struct gofunc *fn = p->funcs[s->func].fn;

	if (!code->has_entry)
		give_stub(p, s, fn, &code->leaf_window, STUB_JUMP);
	else if (p->stubs.kind != STUB_JUMP && code->check_window.len)
		give_stub(p, s, fn, &code->check_window, p->stubs.kind);
	else
		s->stub_why = STUB_CHEAP;
}

/* ---- the file */

static unsigned nop_bytes(enum stub_kind kind)
{
	return kind == STUB_NOP5 ? 5 : kind == STUB_NOP10 ? 10 : 0;
}

/* The nop comes first in an entry: what is displaced moves rsp. */
static bool nop_first(const struct plan_site *s)
{
	return s->stub_kind != STUB_JUMP && s->link == LINK_ENTRY;
}

/* Gives each stub its place. */
static void lay_out(struct plan *p)
{
	uint64_t at = ALIGN; /* not 0 */

	for (size_t i = 0; i < p->n_sites; i++) {
		struct plan_site *s = &p->sites[i];
		unsigned nop = s->window_len ? nop_bytes(s->stub_kind) : 0;

		if (!s->window_len)
			continue;
		unsigned probe = nop_first(s) ? 0 : s->window_len;
		/* The kernel rewrites a nop only where it lies within one page. */
		if ((at + probe) / PAGE != (at + probe + nop) / PAGE)
			at = (at + PAGE - 1) / PAGE * PAGE;
		s->enter_off = at;
		s->stub_off = at + probe;
		at = (at + s->window_len + nop + JMP_BYTES + ALIGN - 1) / ALIGN * ALIGN;
	}
	p->stubs.bytes = (at + PAGE - 1) / PAGE * PAGE;
}

/* A free place within reach of a jump: right below the image, else above it. */
static bool find_place(struct plan *p)
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

void stubs_write_jump(uint8_t *at, uint64_t from, uint64_t to)
{
	uint32_t rel = (uint32_t)(to - (from + JMP_BYTES));

	at[0] = 0xe9;
	for (int i = 0; i < 4; i++)
		at[1 + i] = rel >> 8 * i;
}

/* Lengths 5 and 10 as the kernel rewrites them, Intel SDM's multi-byte nops. */
static void write_nop(uint8_t *at, unsigned bytes)
{
	static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0, 0 },
			     nop10[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 };

	memcpy(at, bytes == 5 ? nop5 : nop10, bytes);
}

static int write_stub(struct plan *p, const struct plan_site *s)
{
	const uint8_t *displaced = gobin_bytes(p->binary, s->window_vaddr, s->window_len);
	uint8_t *at = p->stubs.code + s->enter_off;
	unsigned nop = nop_bytes(s->stub_kind);

	if (!displaced)
		return -EBADMSG;
	if (nop)
		write_nop(p->stubs.code + s->stub_off, nop);
	memcpy(at + (nop_first(s) ? nop : 0), displaced, s->window_len);
	at += s->window_len + nop;
	stubs_write_jump(at, p->stubs.vaddr + (uint64_t)(at - p->stubs.code),
			 s->window_vaddr + s->window_len);
	return 0;
}

/* Any two bytes of the text that read so will do. */
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

void plan_drop_stub(struct plan *p, size_t site)
{
	struct plan_site *s = &p->sites[site];

	if (s->window_len)
		p->stubs.n_sites--;
	s->class = s->text_class;
	s->window_len = 0;
}

void plan_drop_stubs(struct plan *p)
{
	for (size_t i = 0; i < p->n_sites; i++) {
		plan_drop_stub(p, i);
		p->sites[i].stub_why = STUB_NOT_ASKED;
	}
	free(p->stubs.code);
	p->stubs = (struct plan_stubs){ 0 };
}

int stubs_end(struct plan *p)
{
	struct plan_stubs *t = &p->stubs;
	int err = 0;

	if (!t->n_sites)
		return 0;
	/* The new image would have neither stubs nor, in the text, those probes. */
	if (gobin_func_named(p->binary, "syscall.Exec"))
		t->obstacle =
			"it can execute itself anew (syscall.Exec), and the new image would not be patched";
	lay_out(p);
	t->syscall_vaddr = find_syscall(p->binary);
	if (!find_place(p) || !t->syscall_vaddr) {
		log_debug("no place for %zu bytes of stubs within reach of the text", t->bytes);
		plan_drop_stubs(p);
		return 0;
	}
	t->code = malloc(t->bytes);
	if (!t->code)
		return -ENOMEM;
	memset(t->code, 0xcc, t->bytes); /* a stray jump traps */
	for (size_t i = 0; i < p->n_sites && !err; i++)
		if (p->sites[i].window_len)
			err = write_stub(p, &p->sites[i]);
	return err;
}

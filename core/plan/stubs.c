// SPDX-License-Identifier: BSD-2-Clause
#include "plan/stubs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "base/log.h"
#include "binary/arch.h"
#include "plan/inline_sites.h"
#include "plan/stub_code.h"

#define PAGE         4096ull
#define ALIGN        16         /* of a stub: one cache line fetches most of them */
#define LOWEST_VADDR 0x10000ull /* vm.mmap_min_addr as the kernel ships it */

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
	[STUB_VALUES] = { "values", "a probe reads arguments there" },
	[STUB_ARCH] = { "processor", "gotrace has no stubs for the program's processor" },
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

/* The kind of stubs that are probed. */
static enum stub_kind trap_kind(const struct plan *p)
{
	return p->stubs.kind == STUB_INLINE ? STUB_JUMP : p->stubs.kind;
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
		stub->to_frame_bytes = 0;
	else if (s->program != PROGRAM_ENTRY || kind == STUB_JUMP)
		stub->to_frame_bytes = w->to_frame_after_bytes;
	else
		stub->to_frame_bytes = w->to_frame_bytes;
}

/* In a plan with inline stubs, springboard's are only in functions that can have none: windows of
 * both kinds could overlap. */
static int give_inline(struct plan *p, struct plan_site *s, const struct code_window *w,
		       const struct gocode *code, bool at_return)
{
	s->stub.why = reason_of(w);
	return w->len ? inline_give_stub(p, s, w, code, at_return) : 0;
}

/* Whether bytes that would be displaced before a RET hold the probe that reads arguments. */
static bool holds_values_entry(const struct plan *p, const struct plan_site *s,
			       const struct gocode *code, const struct code_window *w)
{
	const struct code_point *entry = &code->values_entry;

	if (!p->funcs[s->func].n_args)
		return false;
	return s->program == PROGRAM_ENTRY || (w->len && w->off < entry->off + entry->len);
}

/* Returns true, with the reason in s, when the plan's processor has no stubs. */
static bool has_none(const struct plan *p, struct plan_site *s)
{
	if (gobin_arch(p->binary)->has_stubs)
		return false;
	s->stub.why = s->insn_class == INSN_EMULATED ? STUB_CHEAP : STUB_ARCH;
	return true;
}

int stubs_add_exit(struct plan *p, struct plan_site *s, const struct gocode *code, size_t ret)
{
	if (has_none(p, s))
		return 0;
	const bool may_inline = inline_allowed(p, &p->funcs[s->func]);

	if (holds_values_entry(p, s, code,
			       may_inline ? &code->inline_rets[ret] : &code->ret_windows[ret])) {
		s->stub.why = STUB_VALUES;
		return 0;
	}
	if (may_inline) {
		/* Where branches go to the RET its window alone is not enough. */
		static const struct code_window none = { .fate = WINDOW_TARGET };
		int err = give_inline(
			p, s, code->inline_branches[ret].n ? &none : &code->inline_rets[ret], code,
			true);
		enum stub_reason why = s->stub.why;

		if (!err && !site_has_stub(s) && code->ends_in_ret && ret + 1 == code->n_rets)
			err = inline_give_ret(p, s);
		if (!err && !site_has_stub(s) && code->inline_branches[ret].n)
			err = inline_give_branches(p, s, code, ret);
		if (!site_has_stub(s))
			s->stub.why = why;
		return err;
	}
	/* Without a stack check a function must not spend its time where it cannot be preempted. */
	give_stub(p, s, &code->ret_windows[ret], code->check_window.len ? trap_kind(p) : STUB_JUMP);
	return 0;
}

int stubs_add_entry(struct plan *p, struct plan_site *s, const struct gocode *code)
{
	int err = 0;

	if (has_none(p, s))
		return 0;
	if (p->funcs[s->func].n_args) {
		s->stub.why = STUB_VALUES;
		return 0;
	}
	/* Without a probe on sigpanic a call that faults must have been recorded before. */
	if ((code->has_past_fault_entry || code->inline_entry.past_fault) && !p->faults_seen)
		s->stub.why = STUB_FAULT;
	else if (inline_allowed(p, &p->funcs[s->func]))
		err = give_inline(p, s, &code->inline_entry, code, false);
	else if (!code->has_entry && s->insn_class != INSN_EMULATED)
		give_stub(p, s, &code->leaf_window, STUB_JUMP);
	else if (code->has_entry && trap_kind(p) != STUB_JUMP && code->check_window.len)
		give_stub(p, s, &code->check_window, trap_kind(p));
	if (!site_has_stub(s) && s->insn_class == INSN_EMULATED)
		s->stub.why = STUB_CHEAP;
	return err;
}

/* ---- where they lie */

/* Gives s its stubs' addresses from *at on. */
static int lay_out_site(const struct plan *p, struct plan_site *s, uint64_t align, uint64_t *at)
{
	struct stub_layout l;
	int err = 0;

	if (s->stub.displaced_len) {
		err = stub_code_layout(p, s, &l);
		if (err)
			return err;
		uint64_t probe = *at + l.probe_at;
		if (probe / PAGE != (probe + l.one_page_len) / PAGE)
			*at = (*at + PAGE - 1) / PAGE * PAGE;
		s->stub.enter_off = *at;
		s->stub.probe_off = *at + l.probe_at;
		*at = (*at + l.bytes + align - 1) / align * align;
	}
	if (!err && s->stub.n_branches) {
		err = stub_code_layout_branches(p, s, &l);
		s->stub.branches_enter_off = *at;
		s->stub.branches_probe_off = *at + l.probe_at;
		*at = (*at + l.bytes + align - 1) / align * align;
	}
	return err;
}

static int lay_out(struct plan *p)
{
	/* The hook of inline stubs tells all of them apart by their alignment. */
	const uint64_t align = p->stubs.inl.n_sites ? INLINE_ALIGN : ALIGN;
	uint64_t at = align; /* not 0 */
	size_t hook_bytes = 0;
	int err = 0;

	for (size_t i = 0; i < p->n_sites && !err; i++)
		if (site_has_stub(&p->sites[i]))
			err = lay_out_site(p, &p->sites[i], align, &at);
	for (size_t i = 0; i < p->stubs.n_rooms && !err; i++) {
		struct stub_layout l;

		err = stub_code_layout_room(p, &p->stubs.rooms[i], &l);
		if (err)
			return err;
		p->stubs.rooms[i].enter_off = at;
		at += (l.bytes + align - 1) / align * align;
	}
	p->stubs.inl.hook_off = at;
	if (!err && p->stubs.inl.n_sites)
		err = inline_add_hook(p, at, NULL, &hook_bytes);
	p->stubs.bytes = (at + hook_bytes + PAGE - 1) / PAGE * PAGE;
	return err;
}

/* Jumps between the stubs and the image [lo, hi) reach. Addresses wrap in a PIE, distances do not.
 */
static bool in_reach(uint64_t vaddr, uint64_t bytes, uint64_t lo, uint64_t hi)
{
	int64_t farthest = (int64_t)(hi - vaddr), nearest = (int64_t)(lo - (vaddr + bytes));

	return farthest < INT32_MAX && nearest > INT32_MIN;
}

/* Free addresses within reach of a jump: above the image, so that the program's first executable
 * mapping stays its own, which runtime/pprof and perf take its name and build ID from. Right below
 * a giant, or where something else is above. */
static bool find_addresses(struct plan *p, bool below)
{
	const uint64_t table = p->stubs.inl.n_sites
				       ? PLAN_INLINE_TABLE_BYTES + PLAN_INLINE_SIGNALS_BYTES
				       : 0;
	uint64_t lo, hi, bytes = p->stubs.bytes + table + PAGE;

	gobin_image(p->binary, &lo, &hi);
	p->stubs.vaddr = PLAN_STUBS_VADDR;
	if (below || hi >= PLAN_STUBS_VADDR || !in_reach(p->stubs.vaddr, bytes, lo, hi)) {
		if (!gobin_is_pie(p->binary) && lo < LOWEST_VADDR + bytes)
			return false;
		p->stubs.vaddr = (lo & ~(PAGE - 1)) - bytes;
	}
	p->stubs.inl.table_vaddr = table ? p->stubs.vaddr + p->stubs.bytes : 0;
	return in_reach(p->stubs.vaddr, bytes, lo, hi);
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

/* why: a clause, static. */
static void remove_all(struct plan *p, const char *why)
{
	const bool inlined = p->stubs.kind == STUB_INLINE;

	for (size_t i = 0; i < p->n_sites; i++)
		p->sites[i].stub = (struct site_stub){ .why = STUB_NOT_ASKED };
	free(p->stubs.inl.paddings);
	free(p->stubs.branches);
	free(p->stubs.rooms);
	free(p->stubs.code);
	p->stubs = (struct plan_stubs){ 0 };
	*(inlined ? &p->stubs.inl.obstacle : &p->stubs.obstacle) = why;
}

/*
 * Linux keeps a uprobe whose removal failed, as it does when a process is killed while it attaches
 * probes, and the file's inode by its address alone (kernel/events/uprobes.c, "leaking uprobe",
 * 6.18). A later file whose inode has this address gets that uprobe, with its instruction, at the
 * same offset: the program would go on at another place. So no two files of stubs have probes at
 * the same offsets. Page-aligned, and within what this process may write.
 */
#define FILE_OFF_BITS 46

static uint64_t stubs_file_off(size_t bytes)
{
	struct rlimit limit;
	uint64_t most = 1ull << FILE_OFF_BITS, off;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < most)
		most = limit.rlim_cur;
	if (most < bytes + PAGE || getrandom(&off, sizeof(off), 0) != sizeof(off))
		return 0;
	return off % (most - bytes) & ~(uint64_t)(PAGE - 1);
}

static int write_all(struct plan *p)
{
	struct plan_stubs *t = &p->stubs;
	size_t hook_bytes;
	int err = 0;

	t->code = malloc(t->bytes);
	if (!t->code)
		return -ENOMEM;
	memset(t->code, 0xcc, t->bytes); /* a stray jump traps */
	t->file_off = stubs_file_off(t->bytes);
	for (size_t i = 0; i < p->n_sites && !err; i++)
		if (site_has_stub(&p->sites[i]))
			err = stub_code_write(p, &p->sites[i]);
	for (size_t i = 0; i < t->n_rooms && !err; i++)
		err = stub_code_write_room(p, &t->rooms[i]);
	if (!err && t->inl.n_sites)
		err = inline_add_hook(p, t->inl.hook_off, t->code + t->inl.hook_off, &hook_bytes);
	return err;
}

int stubs_finish(struct plan *p, bool below)
{
	struct plan_stubs *t = &p->stubs;
	int err = 0;

	if (!t->n_sites)
		return 0;
	err = lay_out(p);
	if (!err) {
		t->syscall_vaddr = find_syscall(p->binary);
		if (!find_addresses(p, below) || !t->syscall_vaddr) {
			log_debug(
				"no free addresses for %zu bytes of stubs within reach of the text",
				t->bytes);
			remove_all(p, "no addresses within reach of its text are free for them");
			return 0;
		}
		err = write_all(p);
	}
	/* both in a damaged or rewritten binary */
	if (err == -ERANGE)
		remove_all(p, "code that they displace refers to what is more than 2 GiB away");
	else if (err == -EBADMSG)
		remove_all(p, "its file does not hold the code that they displace");
	return err == -ERANGE || err == -EBADMSG ? 0 : err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/text_patch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/target.h"
#include "base/log.h"
#include "binary/arch.h"
#include "plan/inline_hook.h"

#define JMP_BYTES     5
#define DISPLACED_MAX 256 /* site_stub.displaced_len is a byte */

static bool in_page(const struct text_patch *p, uint64_t vaddr, size_t n)
{
	return vaddr - p->page_vaddr < p->page_bytes && vaddr - p->page_vaddr + n <= p->page_bytes;
}

bool text_patch_read(const struct text_patch *p, uint64_t vaddr, void *to, size_t n)
{
	if (in_page(p, vaddr, n)) {
		memcpy(to, p->page + (vaddr - p->page_vaddr), n);
		return true;
	}
	return pread(p->mem_fd, to, n, (off_t)(vaddr + p->bias)) == (ssize_t)n;
}

const char *text_patch_other_image(pid_t pid, int exe_fd)
{
	int is = target_executes(pid, exe_fd);

	return is == 1 ? NULL
	       : is    ? "the file that it executes cannot be looked at"
		       : "it executes another file";
}

/* mem_rw in fs/proc/base.c reads nothing of memory that has no user. */
bool text_patch_memory_ended(const struct text_patch *p)
{
	uint8_t byte;

	return pread(p->mem_fd, &byte, 1, (off_t)(p->plan->stubs.vaddr + p->bias)) == 0;
}

bool text_patch_image_gone(const struct text_patch *p, pid_t pid, int exe_fd)
{
	return target_executes(pid, exe_fd) == 0 || text_patch_memory_ended(p);
}

const char *text_patch_find(struct text_patch *p, pid_t pid, int exe_fd)
{
	const struct gofunc *funcs;
	uint8_t code[2];

	p->bias = 0;
	if (!gobin_funcs(p->plan->binary, &funcs))
		return "it has no functions";
	if (target_text_bias(pid, exe_fd, funcs[0].vaddr, funcs[0].file_off, &p->bias))
		return "its text is not in its memory map";
	return text_patch_read(p, p->plan->stubs.syscall_vaddr, code, 2) &&
			       memcmp(code, "\x0f\x05", 2) == 0
		       ? NULL
		       : "its text is not the file's";
}

/* ---- one site */

static const uint8_t padding[JMP_BYTES] = { 0xcc, 0xcc, 0xcc, 0xcc, 0xcc };

/* What the site's window and, where it needs some, its padding are replaced by. */
static void make_jumps(const struct plan *plan, const struct site_stub *s,
		       uint8_t window[DISPLACED_MAX], uint8_t over_padding[JMP_BYTES])
{
	const uint64_t stub = plan->stubs.vaddr + s->enter_off;

	memset(window, 0xcc, s->displaced_len); /* a stray jump traps */
	if (!s->padding_vaddr) {
		stubs_write_jump(window, s->displaced_vaddr, stub);
		return;
	}
	window[0] = 0xeb;
	window[1] = (uint8_t)(s->padding_vaddr - (s->displaced_vaddr + 2));
	stubs_write_jump(over_padding, s->padding_vaddr, stub);
}

/* ---- pages */

/* In one write: if this process is killed meanwhile, all of it is there or nothing. */
static void write_page(struct text_patch *p)
{
	size_t from = p->changed_from, n = p->changed_to - from;

	if (n && pwrite(p->mem_fd, p->page + from, n, (off_t)(p->page_vaddr + p->bias + from)) !=
			 (ssize_t)n)
		p->lost = true;
	p->changed_from = p->changed_to = 0;
}

void text_patch_close_page(struct text_patch *p)
{
	if (p->page_bytes)
		write_page(p);
	p->page_bytes = 0;
}

void text_patch_turn_page(struct text_patch *p, uint64_t vaddr)
{
	uint64_t page = vaddr & ~(uint64_t)(TEXT_PAGE - 1);

	if (p->page_bytes && page == p->page_vaddr)
		return;
	text_patch_close_page(p);
	p->page_vaddr = page;
	if (text_patch_read(p, page, p->page, TEXT_PAGE))
		p->page_bytes = TEXT_PAGE;
}

static void change_page(struct text_patch *p, uint64_t vaddr, const uint8_t *to, size_t len)
{
	size_t from = vaddr - p->page_vaddr;

	memcpy(p->page + from, to, len);
	if (p->changed_from == p->changed_to) {
		p->changed_from = from;
		p->changed_to = from + len;
		return;
	}
	if (from < p->changed_from)
		p->changed_from = from;
	if (from + len > p->changed_to)
		p->changed_to = from + len;
}

static bool holds(const struct text_patch *p, uint64_t vaddr, const uint8_t *bytes, size_t n)
{
	uint8_t is[DISPLACED_MAX];

	if (in_page(p, vaddr, n))
		return memcmp(p->page + (vaddr - p->page_vaddr), bytes, n) == 0;
	return text_patch_read(p, vaddr, is, n) && memcmp(is, bytes, n) == 0;
}

/* Writes `to` over `from`, or leaves that. */
static bool write_over(struct text_patch *p, uint64_t vaddr, const uint8_t *from, const uint8_t *to,
		       size_t len)
{
	if (in_page(p, vaddr, len)) {
		change_page(p, vaddr, to, len);
		return true;
	}
	ssize_t n = pwrite(p->mem_fd, to, len, (off_t)(vaddr + p->bias));

	if (n == (ssize_t)len)
		return true;
	if (n > 0 && pwrite(p->mem_fd, from, (size_t)n, (off_t)(vaddr + p->bias)) != n)
		log_warn(
			"%zd bytes of the target's text were overwritten and could not be restored",
			n);
	return false;
}

/* ---- one site */

/* Whether the stub has its breakpoint in the process: the kernel refuses one silently while it maps
 * a file. */
static bool probes_are_there(const uint8_t *stubs, const struct plan_site *s)
{
	uint32_t at[SITE_PROBES_MAX];
	unsigned n = site_stub_probes(s, at);

	for (unsigned i = 0; i < n; i++)
		if (stubs[at[i]] != 0xcc)
			return false;
	return true;
}

/* Only the distance is written: another tool's probe on the branch finds its first byte as it
 * was. `back`: as the file has it. */
static bool write_branch(struct text_patch *p, const struct site_stub *s,
			 const struct plan_branch *b, bool back)
{
	const uint8_t *file = gobin_bytes(p->plan->binary, b->vaddr, b->len);
	const uint64_t end = b->vaddr + b->len,
		       to = b->padding_vaddr ? b->padding_vaddr
					     : p->plan->stubs.vaddr + s->branches_enter_off;
	const size_t size = b->padding_vaddr ? 1 : 4;
	uint8_t distance[4];

	for (size_t i = 0; i < size; i++)
		distance[i] = (uint8_t)((to - end) >> 8 * i);
	if (back)
		memcpy(distance, file + b->len - size, size);
	return write_over(p, end - size, file + b->len - size, distance, size);
}

/* Moves the code whose place is needed to its stub, if no other site has: what is left of it is
 * like padding. */
static bool make_room(struct text_patch *p, const struct plan_room *room)
{
	const uint8_t *file = gobin_bytes(p->plan->binary, room->vaddr, room->len);
	uint8_t moved[DISPLACED_MAX];

	memset(moved, 0xcc, room->len);
	stubs_write_jump(moved, room->vaddr, p->plan->stubs.vaddr + room->enter_off);
	return holds(p, room->vaddr, moved, JMP_BYTES) ||
	       (file && holds(p, room->vaddr, file, room->len) &&
		write_over(p, room->vaddr, file, moved, room->len));
}

/* The padding that a branch goes to may be another's of the same site, and be written already. */
static bool prepare_branch(struct text_patch *p, const struct site_stub *s,
			   const struct plan_branch *b)
{
	const uint8_t *file = gobin_bytes(p->plan->binary, b->vaddr, b->len);
	uint8_t jump[JMP_BYTES];

	if (!file || !holds(p, b->vaddr, file, b->len))
		return false;
	if (!b->padding_vaddr)
		return true;
	if (b->has_room && !make_room(p, &p->plan->stubs.rooms[b->room]))
		return false;
	stubs_write_jump(jump, b->padding_vaddr, p->plan->stubs.vaddr + s->branches_enter_off);
	return holds(p, b->padding_vaddr, jump, JMP_BYTES) ||
	       (holds(p, b->padding_vaddr, padding, JMP_BYTES) &&
		write_over(p, b->padding_vaddr, padding, jump, JMP_BYTES));
}

static void undo_branches(struct text_patch *p, const struct site_stub *s, unsigned n)
{
	while (n-- > 0)
		write_branch(p, s, &p->plan->stubs.branches[s->first_branch + n], true);
}

/* All of them or none. (Padding that nothing jumps to may be left changed.) */
static bool patch_branches(struct text_patch *p, const struct site_stub *s)
{
	const struct plan_branch *b = &p->plan->stubs.branches[s->first_branch];

	for (unsigned n = 0; n < s->n_branches; n++)
		if (!prepare_branch(p, s, &b[n]))
			return false;
	for (unsigned n = 0; n < s->n_branches; n++) {
		if (write_branch(p, s, &b[n], false))
			continue;
		undo_branches(p, s, n);
		return false;
	}
	return true;
}

static bool patch_window(struct text_patch *p, const struct site_stub *s)
{
	const uint8_t *file = gobin_bytes(p->plan->binary, s->displaced_vaddr, s->displaced_len);
	uint8_t window[DISPLACED_MAX], over_padding[JMP_BYTES];

	if (!file || !holds(p, s->displaced_vaddr, file, s->displaced_len))
		return false;
	make_jumps(p->plan, s, window, over_padding);
	if (s->has_room && !make_room(p, &p->plan->stubs.rooms[s->room]))
		return false;
	if (s->padding_vaddr &&
	    (!holds(p, s->padding_vaddr, padding, JMP_BYTES) ||
	     !write_over(p, s->padding_vaddr, padding, over_padding, JMP_BYTES)))
		return false;
	return write_over(p, s->displaced_vaddr, file, window, s->displaced_len);
}

bool text_patch_site(struct text_patch *p, const struct plan_site *site, const uint8_t *stubs)
{
	const struct site_stub *s = &site->stub;

	if (!probes_are_there(stubs, site) || !patch_branches(p, s))
		return false;
	if (!s->displaced_len || patch_window(p, s))
		return true;
	undo_branches(p, s, s->n_branches);
	return false;
}

bool text_patch_undo_site(struct text_patch *p, const struct plan_site *site)
{
	const struct site_stub *s = &site->stub;
	const uint8_t *file = gobin_bytes(p->plan->binary, s->displaced_vaddr, s->displaced_len);
	uint8_t window[DISPLACED_MAX], over_padding[JMP_BYTES];

	make_jumps(p->plan, s, window, over_padding);
	if (!file || !holds(p, s->displaced_vaddr, window, s->displaced_len) ||
	    !write_over(p, s->displaced_vaddr, window, file, s->displaced_len))
		return false;
	/* The jump to padding in another page has to be gone before what is there is. */
	if (s->padding_vaddr && p->page_bytes && !in_page(p, s->padding_vaddr, JMP_BYTES))
		write_page(p);
	return !s->padding_vaddr ||
	       (holds(p, s->padding_vaddr, over_padding, JMP_BYTES) &&
		write_over(p, s->padding_vaddr, over_padding, padding, JMP_BYTES));
}

int text_patch_is_there(const struct text_patch *p, const struct plan_site *site)
{
	const struct site_stub *s = &site->stub;
	uint8_t window[DISPLACED_MAX], over_padding[JMP_BYTES], is[DISPLACED_MAX];

	make_jumps(p->plan, s, window, over_padding);
	if (!text_patch_read(p, s->displaced_vaddr, is, s->displaced_len))
		return -EIO;
	return memcmp(is, window, s->displaced_len) == 0;
}

bool text_patch_is_files(const struct text_patch *p, const struct plan_site *site)
{
	const struct site_stub *s = &site->stub;
	const uint8_t *file = gobin_bytes(p->plan->binary, s->displaced_vaddr, s->displaced_len);

	return file && holds(p, s->displaced_vaddr, file, s->displaced_len);
}

/* ---- the hook */

static void make_hook_jump(const struct plan *plan, uint8_t jump[JMP_BYTES])
{
	stubs_write_jump(jump, plan->stubs.inl.sigtramp_vaddr + INLINE_SIGTRAMP_JUMP,
			 plan->stubs.vaddr + plan->stubs.inl.hook_off);
}

const char *text_patch_sigtramp(struct text_patch *p)
{
	const struct arch *arch = gobin_arch(p->plan->binary);
	const uint64_t at = p->plan->stubs.inl.sigtramp_vaddr;
	uint8_t jump[JMP_BYTES];

	if (!holds(p, at, arch->sigtramp, arch->sigtramp_bytes))
		return "its signal handler is not the file's";
	make_hook_jump(p->plan, jump);
	return write_over(p, at + INLINE_SIGTRAMP_JUMP, arch->sigtramp + INLINE_SIGTRAMP_JUMP, jump,
			  JMP_BYTES)
		       ? NULL
		       : "its signal handler cannot be patched";
}

bool text_patch_undo_sigtramp(struct text_patch *p)
{
	const struct arch *arch = gobin_arch(p->plan->binary);
	const uint64_t at = p->plan->stubs.inl.sigtramp_vaddr + INLINE_SIGTRAMP_JUMP;
	uint8_t jump[JMP_BYTES];

	make_hook_jump(p->plan, jump);
	return holds(p, at, jump, JMP_BYTES) &&
	       write_over(p, at, jump, arch->sigtramp + INLINE_SIGTRAMP_JUMP, JMP_BYTES);
}

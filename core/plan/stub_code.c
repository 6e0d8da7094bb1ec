// SPDX-License-Identifier: BSD-2-Clause
#include "plan/stub_code.h"

#include <errno.h>
#include <string.h>

#include "plan/inline_room.h"
#include "plan/inline_sites.h"

/*
 * A stub:             in the text:
 *   displaced bytes     jmp stub   (replaces the displaced bytes; the rest of them: int3)
 *   jmp back            ...        (the RET, or what follows the displaced bytes)
 *
 * The probe sits on `jmp back`, which the kernel emulates: when the trap returns, and
 * signals are delivered, pc is in Go's text. With a nop in the stub it is not, and
 * the runtime refuses to preempt a goroutine at a pc it does not know: a loop that only calls
 * functions without a stack check could then never be stopped.
 */

#define JMP_BYTES 5

static unsigned nop_bytes(enum stub_kind kind)
{
	return kind == STUB_NOP5 ? 5 : kind == STUB_NOP10 ? 10 : 0;
}

static struct stub_layout trap_layout(const struct plan_site *s)
{
	const unsigned displaced = s->stub.displaced_len, nop = nop_bytes(s->stub.kind);
	struct stub_layout l = {
		/* In an entry the nop comes first, since displaced instructions move rsp. */
		.displaced_at = s->program == PROGRAM_ENTRY ? nop : 0,
		.jump_back_at = displaced + nop,
		.bytes = displaced + nop + JMP_BYTES,
		.one_page_len = nop, /* the kernel rewrites it only then */
	};

	l.probe_at = l.displaced_at ? 0 : displaced;
	return l;
}

/* Lengths 5 and 10 as the kernel rewrites them, Intel SDM's multi-byte nops. */
static void write_nop(uint8_t *at, unsigned bytes)
{
	static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0, 0 },
			     nop10[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 };

	memcpy(at, bytes == 5 ? nop5 : nop10, bytes);
}

void stubs_write_jump(uint8_t *at, uint64_t from, uint64_t to)
{
	uint32_t rel = (uint32_t)(to - (from + JMP_BYTES));

	at[0] = 0xe9;
	for (int i = 0; i < 4; i++)
		at[1 + i] = rel >> 8 * i;
}

static int layout_inline(const struct plan *p, const struct inline_stub *stub,
			 struct stub_layout *out)
{
	const struct inline_program program = inline_program_of(p);
	struct inline_parts parts;
	int err = inline_stub_parts(&program, stub, &parts);

	*out = (struct stub_layout){ .probe_at = parts.probes[0], .bytes = parts.end };
	return err;
}

int stub_code_layout(const struct plan *p, const struct plan_site *s, struct stub_layout *out)
{
	struct inline_stub stub;

	if (!site_is_inline(s)) {
		*out = trap_layout(s);
		return 0;
	}
	int err = inline_describe(p, s, &stub);
	return err ? err : layout_inline(p, &stub, out);
}

int stub_code_layout_branches(const struct plan *p, const struct plan_site *s,
			      struct stub_layout *out)
{
	const struct inline_stub stub = inline_describe_branches(s);

	return layout_inline(p, &stub, out);
}

static int write_inline(struct plan *p, const struct inline_stub *stub, uint32_t enter_off)
{
	const struct inline_program program = inline_program_of(p);

	return inline_stub_write(&program, stub, p->stubs.vaddr + enter_off,
				 p->stubs.code + enter_off);
}

int stub_code_layout_room(const struct plan *p, const struct plan_room *room,
			  struct stub_layout *out)
{
	struct inline_stub stub;
	int err = inline_describe_room(p, room, &stub);

	return err ? err : layout_inline(p, &stub, out);
}

int stub_code_write_room(struct plan *p, const struct plan_room *room)
{
	struct inline_stub stub;
	int err = inline_describe_room(p, room, &stub);

	return err ? err : write_inline(p, &stub, room->enter_off);
}

static int write_inlines(struct plan *p, const struct plan_site *s)
{
	struct inline_stub stub;
	int err = 0;

	if (s->stub.displaced_len) {
		err = inline_describe(p, s, &stub);
		if (!err)
			err = write_inline(p, &stub, s->stub.enter_off);
	}
	if (!err && s->stub.n_branches) {
		stub = inline_describe_branches(s);
		err = write_inline(p, &stub, s->stub.branches_enter_off);
	}
	return err;
}

int stub_code_write(struct plan *p, const struct plan_site *s)
{
	if (site_is_inline(s))
		return write_inlines(p, s);
	const struct site_stub *stub = &s->stub;
	const struct stub_layout l = trap_layout(s);
	const uint8_t *displaced = gobin_bytes(p->binary, stub->displaced_vaddr,
					       stub->displaced_len);
	uint8_t *code = p->stubs.code + stub->enter_off;

	if (!displaced)
		return -EBADMSG;
	memcpy(code + l.displaced_at, displaced, stub->displaced_len);
	if (stub->kind != STUB_JUMP)
		write_nop(code + l.probe_at, nop_bytes(stub->kind));
	stubs_write_jump(code + l.jump_back_at, p->stubs.vaddr + stub->enter_off + l.jump_back_at,
			 stub->displaced_vaddr + stub->displaced_len);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which instructions an inline stub can displace, and what they do to what recording changes. More
 * than springboard's may be: the hook at the signal handler shows Go a fault in a stub at the
 * instruction's own address, and what is relative to rip is rewritten.
 */
#include "binary/x86_64/x86_inline_impl.h"

/* What recording changes at an exit: rdx, scratch registers and flags. At an entry rdx is kept. */
static const x86_reg scratch[] = {
	X86_REG_R12,  X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R13,  X86_REG_R13D,
	X86_REG_R13W, X86_REG_R13B, X86_REG_R15,  X86_REG_R15D, X86_REG_R15W, X86_REG_R15B,
};
static const x86_reg rdx[] = {
	X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH,
};

static bool among(uint16_t reg, const x86_reg *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (reg == set[i])
			return true;
	return false;
}

static bool is_scratch(uint16_t reg)
{
	return among(reg, scratch, sizeof(scratch) / sizeof(*scratch));
}

static bool is_rdx(uint16_t reg)
{
	return among(reg, rdx, sizeof(rdx) / sizeof(*rdx));
}

struct touch inline_touches(const struct body *y, const struct insn *in)
{
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;
	struct touch t = { 0 };

	if (!x86_detail(y, in) || cs_regs_access(y->c->decoder->detail, y->c->decoder->detail_insn,
						 reads, &n_reads, writes, &n_writes) != CS_ERR_OK)
		return (struct touch){ true, true, true, true, true };
	for (uint8_t i = 0; i < n_reads; i++) {
		t.reads |= is_scratch(reads[i]);
		t.reads_flags |= reads[i] == X86_REG_EFLAGS;
		t.reads_rdx |= is_rdx(reads[i]);
	}
	for (uint8_t i = 0; i < n_writes; i++) {
		t.writes |= is_scratch(writes[i]);
		t.writes_flags |= writes[i] == X86_REG_EFLAGS;
	}
	return t;
}

/* Notes the operand relative to rip of the instruction that was decoded last, if it has one. */
static bool add_rip_operand(const struct body *y, const struct insn *in, struct code_window *w)
{
	const cs_x86 *x = &y->c->decoder->detail_insn->detail->x86;

	for (uint8_t i = 0; i < x->op_count; i++) {
		if (x->operands[i].type != X86_OP_MEM || x->operands[i].mem.base != X86_REG_RIP)
			continue;
		if (w->n_relative_offs == WINDOW_RIP_MAX || !x->encoding.disp_offset)
			return false;
		w->relative_offs[w->n_relative_offs++] = in->off + x->encoding.disp_offset;
		return true;
	}
	return true;
}

enum window_fate inline_displace(const struct body *y, const struct insn *in, struct code_window *w)
{
	enum window_fate fate = x86_displaceable(y, in);

	if (fate == WINDOW_FAULT || fate == WINDOW_OK) {
		w->faults |= fate == WINDOW_FAULT;
		if (!add_rip_operand(y, in, w))
			return WINDOW_FIXED;
		const cs_insn *d = y->c->decoder->detail_insn;

		return cs_insn_group(y->c->decoder->detail, d, CS_GRP_INT) ||
				       cs_insn_group(y->c->decoder->detail, d, CS_GRP_PRIVILEGE) ||
				       d->id == X86_INS_SYSCALL
			       ? WINDOW_FLOW
			       : WINDOW_OK;
	}
	if (fate != WINDOW_FIXED || in->tls)
		return fate;
	/* The kernel takes no probe on a lock prefix, and none goes there; a segment's stays. */
	if (in->class == INSN_REFUSED && y->code[in->off] != 0xf0)
		return WINDOW_FIXED;
	w->faults |= x86_may_fault(y, in);
	return add_rip_operand(y, in, w) ? WINDOW_OK : WINDOW_FIXED;
}

bool inline_plain_branch(const struct body *y, const struct insn *in)
{
	const uint8_t *p = y->code + in->off;

	switch (in->len) {
	case 2:
		return *p == 0xeb || (*p & 0xf0) == 0x70;
	case 5:
		return *p == 0xe9;
	default:
		return in->len == 6 && *p == 0x0f;
	}
}

enum window_fate inline_add_jump(const struct body *y, const struct insn *in, struct code_window *w)
{
	if (!inline_plain_branch(y, in) || in->target < 0 || in->target >= y->f->size ||
	    w->n_jump_offs == WINDOW_JUMPS_MAX)
		return WINDOW_FLOW;
	w->jump_offs[w->n_jump_offs++] = in->off;
	return WINDOW_OK;
}

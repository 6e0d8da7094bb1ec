// SPDX-License-Identifier: BSD-2-Clause
/* Functions so short that one event is enough for a call. */
#include "binary/gocode_impl.h"

/* May control go on from here for longer than the instruction looks: a loop, a call, a jump out of
 * the function, a string instruction? */
static bool takes_long(const struct body *y, const struct insn *in)
{
	switch (in->flow) {
	case FLOW_JMP:
	case FLOW_JCC:
		return in->target <= in->off || in->target >= y->f->size;
	case FLOW_NEXT:
		return insn_repeats(y->code + in->off, in->len);
	case FLOW_RET:
	case FLOW_TRAP:
		return false;
	default:
		return true;
	}
}

/* ---- memory that cannot fault because it was read before */

/* A pointer that was read through faults nowhere below this offset either: it is not nil, and Go
 * leaves out nil checks up to there (minZeroPage, cmd/compile/internal/ssa/nilcheck.go). */
#define SAME_PAGE 4096

#define FAMILY(r64, r32, r16, r8, r8h)                                         \
	{                                                                      \
		X86_REG_##r64, X86_REG_##r32, X86_REG_##r16, X86_REG_##r8, r8h \
	}
#define NUMBERED(n)                                                                \
	{                                                                          \
		X86_REG_R##n, X86_REG_R##n##D, X86_REG_R##n##W, X86_REG_R##n##B, 0 \
	}

/* The names of each general register. */
static const uint16_t families[][5] = {
	FAMILY(RAX, EAX, AX, AL, X86_REG_AH),
	FAMILY(RBX, EBX, BX, BL, X86_REG_BH),
	FAMILY(RCX, ECX, CX, CL, X86_REG_CH),
	FAMILY(RDX, EDX, DX, DL, X86_REG_DH),
	FAMILY(RSI, ESI, SI, SIL, 0),
	FAMILY(RDI, EDI, DI, DIL, 0),
	NUMBERED(8),
	NUMBERED(9),
	NUMBERED(10),
	NUMBERED(11),
	NUMBERED(12),
	NUMBERED(13),
	NUMBERED(15),
};

static uint32_t family_bit(uint16_t reg)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++)
		for (size_t i = 0; i < 5 && families[f][i]; i++)
			if (families[f][i] == reg)
				return 1u << f;
	return 0;
}

/* The registers, as family bits, that the instruction in detail_insn reads memory at, near their
 * values; *others when it also accesses memory in another way, or divides. */
static uint32_t bases_read(const struct body *y, bool *others)
{
	const cs_insn *d = y->c->detail_insn;
	uint32_t bases = 0;

	*others = d->id == X86_INS_DIV || d->id == X86_INS_IDIV;
	for (uint8_t i = 0; i < d->detail->x86.op_count; i++) {
		const cs_x86_op *op = &d->detail->x86.operands[i];
		uint32_t base = op->type == X86_OP_MEM ? family_bit((uint16_t)op->mem.base) : 0;

		if (op->type != X86_OP_MEM)
			continue;
		if (!base || op->mem.index != X86_REG_INVALID || op->mem.disp < 0 ||
		    op->mem.disp >= SAME_PAGE)
			*others = true;
		bases |= base;
	}
	return bases;
}

/* The registers that the instruction in detail_insn writes; all of them when that is not known.
 */
static uint32_t regs_written(const struct body *y)
{
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;
	uint32_t bits = 0;

	if (cs_regs_access(y->c->detail, y->c->detail_insn, reads, &n_reads, writes, &n_writes) !=
	    CS_ERR_OK)
		return UINT32_MAX;
	for (uint8_t i = 0; i < n_writes; i++)
		bits |= family_bit(writes[i]);
	return bits;
}

/*
 * Whether nothing after `at` may fault. On the straight line up to there it notes registers that
 * memory was read through without a fault. A later read through one of them does not fault either,
 * until that register is written: there are no loops, so code that runs later is at a higher
 * address.
 */
static bool cannot_fault(const struct body *y, size_t end, const struct code_point *at)
{
	uint32_t valid = 0;

	for (size_t i = 0; i < end; i++) {
		const struct insn *in = &y->insns[i];
		bool others, faults;

		if (in->flow != FLOW_NEXT)
			continue;
		faults = gocode_may_fault(y, in);
		uint32_t bases = bases_read(y, &others);
		if (in->off > at->off && faults && (others || (bases & ~valid)))
			return false;
		if (in->off < at->off && faults && !others)
			valid |= bases;
		valid &= ~regs_written(y);
	}
	return true;
}

static bool is_brief(const struct body *y, size_t end, const struct code_point *at)
{
	for (size_t i = 0; i < end; i++)
		if (takes_long(y, &y->insns[i]))
			return false;
	return cannot_fault(y, end, at);
}

/* Index of the first instruction that calls morestack or prepares to; y->n without a check. */
static size_t body_end(const struct body *y, const struct check *k)
{
	size_t i = 0;

	while (k->found && i < y->n && y->insns[i].off < y->insns[k->jcc].target)
		i++;
	return k->found ? i : y->n;
}

void gocode_brief(const struct body *y, const struct check *k, struct gocode *out)
{
	const struct code_point *at = out->has_entry ? &out->entry : &out->past_fault_entry;
	size_t end = body_end(y, k);

	if ((!out->has_entry && !out->has_past_fault_entry) || at->class != INSN_EMULATED ||
	    at->check_jcc)
		return;
	out->brief = out->n_rets > 0 && !out->n_tails && !out->loop_at_start &&
		     end <= GOCODE_BRIEF_MAX && is_brief(y, end, at);
}

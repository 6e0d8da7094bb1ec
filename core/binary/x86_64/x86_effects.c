/* SPDX-License-Identifier: BSD-2-Clause */
/* What instructions of x86-64 do to registers and memory. */
#include "binary/x86_64/x86_code.h"
#include "binary/x86_64/x86_insn.h"

bool x86_detail(const struct body *y, const struct insn *in)
{
	struct decoder *d = y->c->decoder;
	const size_t slot = in->off % DETAILS;
	const uint8_t *p = y->code + in->off;
	size_t len = in->len;
	uint64_t vaddr = y->f->vaddr + in->off, addr = vaddr;

	d->detail_insn = d->details[slot];
	if (d->detail_at[slot] == vaddr)
		return true;
	d->detail_at[slot] = NO_DETAIL;
	if (!cs_disasm_iter(d->detail, &p, &len, &addr, d->detail_insn))
		return false;
	d->detail_at[slot] = vaddr;
	return true;
}

static bool reg_is(uint16_t reg, const x86_reg *set)
{
	for (; *set != X86_REG_INVALID; set++)
		if (reg == *set)
			return true;
	return false;
}

unsigned x86_accesses(const struct body *y, const struct insn *in, const x86_reg *set)
{
	unsigned found = 0;
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;

	if (!x86_detail(y, in) || cs_regs_access(y->c->decoder->detail, y->c->decoder->detail_insn,
						 reads, &n_reads, writes, &n_writes) != CS_ERR_OK)
		return ACCESS_READS | ACCESS_WRITES;
	for (uint8_t i = 0; i < n_writes; i++)
		if (reg_is(writes[i], set))
			found |= ACCESS_WRITES;
	for (uint8_t i = 0; i < n_reads; i++)
		if (reg_is(reads[i], set))
			found |= ACCESS_READS;
	return found;
}

/*
 * Whether an instruction may raise a fault that the runtime turns into a panic:
 * a division, or a memory access other than to the frame, to g or to a place
 * the linker has laid down. True also when that is not known.
 */
bool x86_may_fault(const struct body *y, const struct insn *in)
{
	static const x86_reg safe[] = { X86_REG_RSP, X86_REG_RBP, X86_REG_RIP, X86_REG_R14,
					X86_REG_INVALID };

	if (!x86_detail(y, in))
		return true;
	const cs_insn *d = y->c->decoder->detail_insn;

	if (d->id == X86_INS_DIV || d->id == X86_INS_IDIV)
		return true;
	if (d->id == X86_INS_LEA || d->id == X86_INS_NOP)
		return false;
	for (uint8_t i = 0; i < d->detail->x86.op_count; i++) {
		const cs_x86_op *op = &d->detail->x86.operands[i];

		if (op->type != X86_OP_MEM)
			continue;
		/* an absolute address, or a slot of TLS */
		bool fixed = op->mem.base == X86_REG_INVALID;
		if ((!fixed && !reg_is(op->mem.base, safe)) || op->mem.index != X86_REG_INVALID)
			return true;
	}
	return false;
}

/*
 * Whether the only memory that an instruction reads is its closure's: RDX holds its address at the
 * entry (cmd/compile/abi-internal.md), and a call of a nil func faults at the call. In
 * a function that is no closure nothing is in RDX, and nothing reads it.
 */
bool x86_reads_closure(const struct body *y, const struct insn *in)
{
	bool found = false;

	if (!x86_detail(y, in))
		return false;
	const cs_insn *d = y->c->decoder->detail_insn;

	if (d->id == X86_INS_DIV || d->id == X86_INS_IDIV)
		return false;
	for (uint8_t i = 0; i < d->detail->x86.op_count; i++) {
		const cs_x86_op *op = &d->detail->x86.operands[i];

		if (op->type != X86_OP_MEM)
			continue;
		if (op->mem.base != X86_REG_RDX || op->mem.index != X86_REG_INVALID)
			return false;
		found = true;
	}
	return found;
}

bool x86_writes_closure(const struct body *y, const struct insn *in)
{
	static const x86_reg context[] = { X86_REG_RDX, X86_REG_EDX, X86_REG_DX,
					   X86_REG_DL,  X86_REG_DH,  X86_REG_INVALID };

	return x86_accesses(y, in, context) & ACCESS_WRITES;
}

bool x86_writes_result(const struct body *y, const struct insn *in)
{
	static const x86_reg rax[] = { X86_REG_RAX, X86_REG_EAX, X86_REG_AX,
				       X86_REG_AL,  X86_REG_AH,  X86_REG_INVALID };

	return x86_accesses(y, in, rax) & ACCESS_WRITES;
}

bool x86_follow_sp(const struct body *y, const struct insn *in, int64_t *down_bytes)
{
	static const x86_reg sp[] = { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL,
				      X86_REG_INVALID };
	int64_t change;

	if (!x86_sp_change(y->code + in->off, in->len, &change))
		return !(x86_accesses(y, in, sp) & ACCESS_WRITES);
	*down_bytes += change;
	return true;
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
	const cs_insn *d = y->c->decoder->detail_insn;
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

	if (cs_regs_access(y->c->decoder->detail, y->c->decoder->detail_insn, reads, &n_reads,
			   writes, &n_writes) != CS_ERR_OK)
		return UINT32_MAX;
	for (uint8_t i = 0; i < n_writes; i++)
		bits |= family_bit(writes[i]);
	return bits;
}

struct memory_use x86_memory(const struct body *y, const struct insn *in)
{
	struct memory_use m = { .faults = x86_may_fault(y, in) };

	if (!x86_detail(y, in))
		return (struct memory_use){ true, true, 0, UINT32_MAX };
	m.bases = bases_read(y, &m.others);
	m.written = regs_written(y);
	return m;
}

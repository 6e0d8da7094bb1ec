/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a function: its stack check, where an entry probe can be, whether R14 is g. */
#include <string.h>

#include "binary/gocode_impl.h"

#define G_STACKGUARD0 0x10 /* offset of g.stackguard0, all versions */
#define G_STACKGUARD1 0x18 /* the one that //go:systemstack functions are checked against */

static bool starts(const struct body *y, size_t i, const char *bytes, size_t n)
{
	return i < y->n && y->insns[i].len >= n && memcmp(y->code + y->insns[i].off, bytes, n) == 0;
}

/* lea -x(%rsp),%r12 | mov %rsp,%r12; sub $x,%r12; jb: the frame is subtracted
 * first when it is larger than the guard. Returns the index of the cmp. */
static size_t skip_frame(const struct body *y, size_t i)
{
	if (starts(y, i, "\x4c\x8d\x64\x24", 4) || starts(y, i, "\x4c\x8d\xa4\x24", 4))
		return i + 1;
	if (starts(y, i, "\x49\x89\xe4", 3) &&
	    (starts(y, i + 1, "\x49\x81\xec", 3) || starts(y, i + 1, "\x49\x83\xec", 3)) &&
	    (starts(y, i + 2, "\x72", 1) || starts(y, i + 2, "\x0f\x82", 2)))
		return i + 3;
	return i;
}

/* Where the block that calls morestack at index `i` jumps to after it. */
static bool comes_back_to(const struct body *y, size_t i, uint32_t off)
{
	while (++i < y->n && y->insns[i].flow == FLOW_NEXT)
		;
	return i < y->n && y->insns[i].flow == FLOW_JMP && y->insns[i].target == off;
}

/* A compare and its branch stay within 32 bytes (asm6.go padJump): NOPs may stand before them. */
static size_t skip_nops(const struct body *y, size_t i)
{
	while (starts(y, i, "\x90", 1) || starts(y, i, "\x0f\x1f", 2) ||
	       starts(y, i, "\x66\x90", 2) || starts(y, i, "\x66\x0f\x1f", 3))
		i++;
	return i;
}

/* A check that begins with instruction `i`. */
static struct check check_at(const struct body *y, size_t i)
{
	struct check k = { .restart = y->insns[i].off };
	const size_t first = i;

	/* ABI0: g comes from TLS, in an externally linked PIE by way of the GOT */
	while (i < first + 2 && i + 1 < y->n && (y->insns[i].fs || y->insns[i + 1].fs))
		i++;
	i = skip_nops(y, skip_frame(y, skip_nops(y, i)));
	if (i + 1 >= y->n)
		return k;
	const uint8_t *cmp = y->code + y->insns[i].off;
	/* cmp disp8(%base),%rsp or %r12: REX.W 3b /r, mod 01, rm not a SIB */
	if (y->insns[i].len != 4 || (cmp[0] & 0xfa) != 0x48 || cmp[1] != 0x3b || cmp[2] >> 6 != 1 ||
	    (cmp[2] >> 3 & 7) != 4 || (cmp[3] != G_STACKGUARD0 && cmp[3] != G_STACKGUARD1))
		return k;
	bool r14 = (cmp[0] & 1) && (cmp[2] & 7) == 6;
	if (!starts(y, i + 1, "\x76", 1) && !starts(y, i + 1, "\x0f\x86", 2))
		return k;
	/* It is a stack check when its jump leads to a call of morestack. */
	const struct insn *jcc = &y->insns[i + 1];
	for (size_t j = i + 2; j < y->n; j++) {
		if (y->insns[j].off < jcc->target || y->insns[j].flow == FLOW_NEXT)
			continue;
		k.found = gocode_is_morestack_call(y, &y->insns[j]) &&
			  (!first || comes_back_to(y, j, k.restart));
		break;
	}
	k.user = k.found && r14 && cmp[3] == G_STACKGUARD0;
	k.jcc = i + 1;
	return k;
}

/* Instructions that store a function's register arguments, or load them, at most: 9 integers, 15
 * floats and the closure. */
#define SPILLED_MAX 25

struct check gocode_check(const struct body *y)
{
	struct check k = check_at(y, 0);
	size_t call = 0;

	if (k.found)
		return k;
	/* Built with -d=maymorestack=F, it calls F before, its arguments stored around that, and
	 * comes back from morestack behind (obj6.go preprocess). */
	while (call < y->n && call <= SPILLED_MAX && y->insns[call].flow == FLOW_NEXT)
		call++;
	if (call == y->n || y->insns[call].flow != FLOW_CALL)
		return k;
	for (size_t i = call + 1; i < y->n && i <= call + 1 + SPILLED_MAX; i++) {
		struct check later = check_at(y, i);

		if (later.found)
			return later;
		if (y->insns[i].flow != FLOW_NEXT)
			break;
	}
	return k;
}

static bool reg_is(uint16_t reg, const x86_reg *set)
{
	for (; *set != X86_REG_INVALID; set++)
		if (reg == *set)
			return true;
	return false;
}

unsigned gocode_accesses(const struct body *y, const struct insn *in, const x86_reg *set)
{
	unsigned found = 0;
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;

	if (!gocode_detail(y, in) || cs_regs_access(y->c->detail, y->c->detail_insn, reads,
						    &n_reads, writes, &n_writes) != CS_ERR_OK)
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
bool gocode_may_fault(const struct body *y, const struct insn *in)
{
	static const x86_reg safe[] = { X86_REG_RSP, X86_REG_RBP, X86_REG_RIP, X86_REG_R14,
					X86_REG_INVALID };

	if (!gocode_detail(y, in))
		return true;
	const cs_insn *d = y->c->detail_insn;

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
static bool reads_closure(const struct body *y, const struct insn *in)
{
	bool found = false;

	if (!gocode_detail(y, in))
		return false;
	const cs_insn *d = y->c->detail_insn;

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

/*
 * The first emulated instruction from index `i` on that is reached by nothing
 * but falling through. Stops where the line ends, after a call (which may
 * unwind or never return), where rsp is no longer known, and at an instruction
 * that may fault: a call that panics there has been entered all the same; with past_faults
 * only where rsp is not at the return address. *out is where it stopped.
 */
static enum line_end find_on_line(const struct body *y, size_t i, bool past_faults,
				  struct code_point *out)
{
	static const x86_reg sp[] = { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL,
				      X86_REG_INVALID };
	static const x86_reg context[] = { X86_REG_RDX, X86_REG_EDX, X86_REG_DX,
					   X86_REG_DL,  X86_REG_DH,  X86_REG_INVALID };
	int64_t down = 0, change;
	bool closure = true; /* RDX is still what the caller put there */

	for (; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		*out = point(in, down);
		if (in->class == INSN_EMULATED)
			return LINE_FOUND;
		if (in->flow != FLOW_NEXT)
			return LINE_FLOW;
		if ((!past_faults || down) && gocode_may_fault(y, in) &&
		    !(closure && reads_closure(y, in)))
			return LINE_FAULT;
		closure = closure && !(gocode_accesses(y, in, context) & ACCESS_WRITES);
		if (insn_sp_change(y->code + in->off, in->len, &change))
			down += change;
		else if ((gocode_accesses(y, in, sp) & ACCESS_WRITES))
			return LINE_SP;
		if (down < 0 || down > UINT16_MAX)
			return LINE_SP;
	}
	return LINE_FLOW;
}

/* `end` is where the line from the start ended. */
static bool is_straight(const struct body *y, const struct code_point *end)
{
	size_t i = 0;

	while (i < GOCODE_BRIEF_MAX && i < y->n && y->insns[i].off != end->off &&
	       !insn_repeats(y->code + y->insns[i].off, y->insns[i].len))
		i++;
	return i > 0 && i < GOCODE_BRIEF_MAX && i < y->n && y->insns[i].flow == FLOW_RET &&
	       y->insns[i].off == end->off && end->rsp_to_ra_bytes == 0 &&
	       !gocode_targeted(y, 0, end->off);
}

static void find_late(const struct body *y, struct gocode *out)
{
	enum line_end end = find_on_line(y, 0, true, &out->past_fault_entry);

	if (end == LINE_FOUND)
		out->has_past_fault_entry = !gocode_targeted(y, 0, out->past_fault_entry.off);
	else if (end == LINE_FLOW && is_straight(y, &out->past_fault_entry)) {
		out->past_fault_entry = out->rets[0];
		out->has_past_fault_entry = true;
	}
}

void gocode_entry(const struct body *y, const struct check *k, struct gocode *out)
{
	/* After a check, a branch to the start belongs to another call or to morestack. */
	uint32_t lo = k->found ? k->restart + 1 : 0;

	out->line_end = LINE_LOOP;
	if (out->loop_at_start)
		return;
	out->line_end = find_on_line(y, k->found ? k->jcc + 1 : 0, false, &out->entry);
	if (out->line_end == LINE_FOUND && gocode_targeted(y, lo, out->entry.off))
		out->line_end = LINE_TARGET;
	if (out->line_end == LINE_FOUND) {
		out->has_entry = true;
		return;
	}
	out->one_probe_leaf = out->line_end == LINE_FLOW && !k->found &&
			      is_straight(y, &out->entry);
	out->entry = (struct code_point){ 0 };
	const struct insn *jcc = &y->insns[k->jcc];
	if (k->found && jcc->class == INSN_EMULATED && !gocode_targeted(y, lo, jcc->off)) {
		out->entry = point(jcc, 0);
		out->entry.check_jcc = true;
		out->has_entry = true;
	}
	if (out->line_end == LINE_FAULT && !k->found)
		find_late(y, out);
}

void gocode_values_entry(const struct body *y, const struct check *k, struct gocode *out)
{
	const struct insn *jcc = &y->insns[k->jcc], *next = jcc + 1;
	bool after;

	if (out->loop_at_start)
		return;
	out->has_values_entry = true;
	out->values_entry = out->start;
	if (!k->found) {
		out->has_values_entry = out->start.class != INSN_REFUSED;
		return;
	}
	after = k->jcc + 1 < y->n && !gocode_targeted(y, k->restart + 1, next->off) &&
		next->class != INSN_REFUSED;
	if (after && next->class == INSN_EMULATED) {
		out->values_entry = point(next, 0);
	} else if (jcc->class == INSN_EMULATED && !gocode_targeted(y, k->restart + 1, jcc->off)) {
		out->values_entry = point(jcc, 0);
		out->values_entry.check_jcc = true;
	} else if (after) {
		out->values_entry = point(next, 0);
	} else {
		out->has_values_entry = false;
	}
}

/* R14 is g from the entry on in ABIInternal code; an ABI0 wrapper loads it from TLS first. */
bool gocode_g_in_r14(const struct body *y, const struct check *k)
{
	static const x86_reg r14[] = { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B,
				       X86_REG_INVALID };

	if (y->f->flags & (GOFUNC_ABI0 | GOFUNC_ASM))
		return false;
	if (k->user)
		return true;
	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		unsigned how = in->flow == FLOW_NEXT ? gocode_accesses(y, in, r14) : 0;

		/* A PIE takes the slot's offset first: mov $-8,%r14; mov %fs:(%r14),%r14. */
		if (in->fs || how == ACCESS_WRITES)
			return false;
		if (how || (in->flow != FLOW_NEXT && in->flow != FLOW_JCC))
			break;
	}
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack check that the assembler puts first (cmd/internal/obj/x86/obj6.go stacksplit), and
 * whether R14 is g. */
#include <string.h>

#include "binary/x86_64/x86_code.h"

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
	while (i < first + 2 && i + 1 < y->n && (y->insns[i].tls || y->insns[i + 1].tls))
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

struct check x86_check(const struct body *y)
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

/* R14 is g from the entry on in ABIInternal code; an ABI0 wrapper loads it from TLS first. */
bool x86_g_in_register(const struct body *y, const struct check *k)
{
	static const x86_reg r14[] = { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B,
				       X86_REG_INVALID };

	if (y->f->flags & (GOFUNC_ABI0 | GOFUNC_ASM))
		return false;
	if (k->user)
		return true;
	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		unsigned how = in->flow == FLOW_NEXT ? x86_accesses(y, in, r14) : 0;

		/* A PIE takes the slot's offset first: mov $-8,%r14; mov %fs:(%r14),%r14. */
		if (in->tls || how == ACCESS_WRITES)
			return false;
		if (how || (in->flow != FLOW_NEXT && in->flow != FLOW_JCC))
			break;
	}
	return true;
}

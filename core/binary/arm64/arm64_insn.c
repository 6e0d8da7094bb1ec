// SPDX-License-Identifier: BSD-2-Clause
#include "binary/arm64/arm64_insn.h"

#include <stddef.h>

#include "binary/gocode.h"

/* The signed number in `bits` bits from bit `at` on. */
static int64_t field(uint32_t w, unsigned at, unsigned bits)
{
	return (int64_t)((uint64_t)w << (64 - at - bits)) >> (64 - bits);
}

/* ---- what uprobes do with it */

/*
 * arch/arm64/kernel/probes/decode-insn.c, Linux 6.1 to 7.2: branches, adr and adrp are simulated;
 * these are refused; all others are stepped. A load of a floating-point constant behind the code is
 * not refused, but would read from behind the copy.
 */
static bool is_refused(uint32_t w)
{
	static const uint8_t good_hints[] = {
		0, 7, 8, 10, 24, 25, 26, 27, 32, 34, 36, 38
	}; /* nop, pac*, xpaclri, bti */
	const unsigned hint = w >> 5 & 127;

	if ((w & 0x3b000000) == 0x18000000 || /* loads of constants, prfm */
	    (w & 0x3f800000) == 0x08000000 || /* exclusives, casp */
	    (w & 0x3b200c00) == 0x19000400 || /* cpy, set */
	    (w & 0xff000000) == 0xd4000000 || /* svc, brk and such */
	    (w & 0xfff8f01f) == 0xd500401f || /* msr of a constant */
	    (w & 0xfff00000) == 0xd5100000 || /* msr */
	    (w & 0xffffffe0) == 0xd53b4220)   /* mrs of DAIF */
		return true;
	if ((w & 0xfffff01f) != 0xd503201f)
		return false;
	for (size_t i = 0; i < sizeof(good_hints); i++)
		if (hint == good_hints[i])
			return false;
	return true;
}

/* br, blr, ret, and those that check a signature first. */
static void classify_register_branch(uint32_t w, struct insn *in)
{
	static const uint8_t flows[16] = { FLOW_JMP_IND, FLOW_CALL_IND, FLOW_RET,  FLOW_TRAP,
					   FLOW_TRAP,    FLOW_TRAP,     FLOW_TRAP, FLOW_TRAP,
					   FLOW_JMP_IND, FLOW_CALL_IND, FLOW_TRAP, FLOW_TRAP,
					   FLOW_TRAP,    FLOW_TRAP,     FLOW_TRAP, FLOW_TRAP };
	const unsigned opc = w >> 21 & 15;

	in->flow = flows[opc];
	in->class = opc < 3 && (w & 0x001ffc1f) == 0x001f0000 ? INSN_EMULATED : INSN_REFUSED;
}

static bool classify_branch(uint32_t w, struct insn *in)
{
	const bool unconditional = (w & 0x7c000000) == 0x14000000;
	const bool conditional = (w & 0xff000000) == 0x54000000;
	const bool compares = (w & 0x7e000000) == 0x34000000;
	const bool tests = (w & 0x7e000000) == 0x36000000;

	if ((w & 0xfe000000) == 0xd6000000) {
		classify_register_branch(w, in);
		return true;
	}
	if (!unconditional && !conditional && !compares && !tests)
		return false;
	in->flow = !unconditional ? FLOW_JCC : w >> 31 ? FLOW_CALL : FLOW_JMP;
	in->target = in->off + ARM64_BYTES * (unconditional ? field(w, 0, 26)
					      : tests       ? field(w, 5, 14)
							    : field(w, 5, 19));
	/* bc.cond is not known to the kernel */
	in->class = conditional && w & 16 ? INSN_REFUSED : INSN_EMULATED;
	return true;
}

/* udf, which pads, and what Go's assembler makes of UNDEF (cmd/internal/obj/arm64/asm7.go). */
static bool is_undefined(uint32_t w)
{
	return !(w >> 16) || w == 0xbea71700;
}

void arm64_classify(uint32_t w, struct insn *in)
{
	const uint32_t off = in->off;

	*in = (struct insn){ .off = off, .len = ARM64_BYTES, .flow = FLOW_NEXT };
	if (classify_branch(w, in))
		return;
	if (is_undefined(w) ||
	    ((w & 0xff000000) == 0xd4000000 && (w & 0x00e0001f) != 1)) /* all but svc */
		in->flow = FLOW_TRAP;
	in->class = (w & 0x1f000000) == 0x10000000     ? INSN_EMULATED /* adr, adrp */
		    : is_undefined(w) || is_refused(w) ? INSN_REFUSED
						       : INSN_STEP;
}

/* ---- addresses and constants */

unsigned arm64_literal(uint32_t w, int64_t *distance_bytes)
{
	static const uint8_t bytes[] = { 4, 8, 4, 0 }; /* w, x, sw; prfm */

	if ((w & 0x3b000000) != 0x18000000)
		return 0;
	*distance_bytes = ARM64_BYTES * field(w, 5, 19);
	if (w & 1u << 26)
		return w >> 30 == 3 ? 0 : 4u << (w >> 30); /* s, d, q */
	return bytes[w >> 30];
}

bool arm64_adrp(uint32_t w, int64_t *distance_bytes)
{
	if ((w & 0x9f000000) != 0x90000000)
		return false;
	*distance_bytes = (field(w, 5, 19) * 4 + (w >> 29 & 3)) * 4096;
	return true;
}

bool arm64_add(uint32_t w, int64_t *n)
{
	if ((w & 0xbf800000) != 0x91000000)
		return false;
	*n = (int64_t)(w >> 10 & 0xfff) << (w & 1u << 22 ? 12 : 0);
	if (w & 1u << 30)
		*n = -*n;
	return true;
}

/* The constant of a logical instruction: ones in a row, turned right. Only those of a whole
 * register. */
static bool logical_constant(uint32_t w, uint64_t *n)
{
	const unsigned turned = w >> 16 & 63, ones = (w >> 10 & 63) + 1;
	const unsigned bits = w & 1u << 22 ? 64 : 32;

	if (ones >= bits || turned >= bits || (bits == 64 && !(w >> 31)))
		return false;
	*n = (1ull << ones) - 1;
	if (turned)
		*n = *n >> turned | *n << (bits - turned);
	if (bits == 32)
		*n &= UINT32_MAX;
	return bits == 64 || !(w >> 31);
}

bool arm64_constant(uint32_t w, unsigned *rd, uint64_t *n)
{
	*rd = arm64_rd(w);
	if ((w & 0x7f800000) == 0x52800000) { /* movz */
		*n = (uint64_t)(w >> 5 & 0xffff) << (w >> 21 & 3) * 16;
		return true;
	}
	/* orr of the zero register */
	return (w & 0x7f8003e0) == 0x320003e0 && logical_constant(w, n);
}

bool arm64_load64(uint32_t w, int64_t *distance_bytes)
{
	if ((w & 0xffc00000) != 0xf9400000)
		return false;
	*distance_bytes = (int64_t)(w >> 10 & 0xfff) * 8;
	return true;
}

bool arm64_load_two64(uint32_t w, int64_t *distance_bytes)
{
	if ((w & 0xffc00000) != 0xa9400000)
		return false;
	*distance_bytes = 8 * field(w, 15, 7);
	return true;
}

/* ---- memory */

static bool is_vector(uint32_t w)
{
	return w & 1u << 26;
}

/* ldp, stp and such. */
static void access_pair(uint32_t w, struct arm64_access *a)
{
	const unsigned mode = w >> 23 & 3; /* without a hint, after, at, before */
	const unsigned scale = is_vector(w) ? 2 + (w >> 30) : 2 + (w >> 31);
	const int64_t n = field(w, 15, 7) * (1ll << scale);

	a->loads = w & 1u << 22;
	a->writes_base = mode & 1;
	a->moved_bytes = a->writes_base ? n : 0;
	a->offset_bytes = mode == 1 ? 0 : n;
}

/* ldr, str and such of one register. */
static void access_single(uint32_t w, struct arm64_access *a)
{
	const unsigned opc = w >> 22 & 3, form = w >> 10 & 3;
	const unsigned size = (w >> 30) + (is_vector(w) && opc & 2 ? 4 : 0);

	a->loads = is_vector(w) ? opc & 1 : opc != 0;
	if (w & 1u << 24) {
		a->offset_bytes = (int64_t)(w >> 10 & 0xfff) << size;
	} else if (!(w & 1u << 21)) {
		a->writes_base = form & 1;
		a->moved_bytes = a->writes_base ? field(w, 12, 9) : 0;
		a->offset_bytes = form == 1 ? 0 : field(w, 12, 9);
	} else {
		a->loads = true;       /* an atomic, too */
		a->others = form != 0; /* another register is added; or the base is signed */
		a->writes_base = form & 1 && w & 1u << 11;
	}
}

bool arm64_access(uint32_t w, struct arm64_access *a)
{
	*a = (struct arm64_access){ 0 };
	if ((w & 0x0a000000) != 0x08000000 || (w & 0x3b000000) == 0x18000000)
		return false;
	if ((w & 0x3a000000) == 0x28000000) {
		access_pair(w, a);
	} else if ((w & 0x3b200c00) == 0x19000400 || (w & 0x3a000000) == 0x18000000 ||
		   is_vector(w)) {
		if ((w & 0x3a000000) == 0x38000000)
			access_single(w, a);
		else
			*a = (struct arm64_access){ true, true, true, 0, 0 };
	} else if ((w & 0x3a000000) == 0x38000000) {
		access_single(w, a);
	} else {
		a->loads = true; /* exclusives, acquire and release, compare and swap */
	}
	return true;
}

static uint32_t bit(unsigned reg)
{
	return reg == 31 ? 0 : 1u << reg;
}

static uint32_t written_by_access(uint32_t w, const struct arm64_access *a)
{
	uint32_t bits = a->writes_base ? bit(arm64_rn(w)) : 0;

	if (a->loads && !is_vector(w))
		bits |= bit(arm64_rd(w));
	if (a->loads && !is_vector(w) && (w & 0x3a000000) == 0x28000000)
		bits |= bit(w >> 10 & 31);
	/* the status of an exclusive, the pair of it, the old value of an atomic */
	if ((w & 0x3f000000) == 0x08000000 || (w & 0x3b200c00) == 0x19000400)
		bits |= bit(arm64_rd(w)) | bit(w >> 10 & 31) | bit(w >> 16 & 31) | bit(arm64_rn(w));
	return bits;
}

uint32_t arm64_written(uint32_t w)
{
	struct arm64_access a;

	if (arm64_access(w, &a))
		return written_by_access(w, &a);
	if ((w & 0x3b000000) == 0x18000000 && is_vector(w))
		return 0;
	return bit(arm64_rd(w));
}

bool arm64_writes_sp(uint32_t w)
{
	if (arm64_rd(w) != ARM64_SP)
		return false;
	return (w & 0x3f000000) == 0x11000000 ||                       /* add, sub of a constant */
	       (w & 0x3fe00000) == 0x0b200000 ||                       /* of an extended register */
	       ((w & 0x1f800000) == 0x12000000 && (w >> 29 & 3) != 3); /* and, orr, eor */
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/x86_64/x86_insn.h"

#include <string.h>

#include "binary/elffile.h"
#include "binary/gocode.h"

struct prefixes {
	unsigned n;  /* bytes before the opcode, REX included */
	uint8_t rex; /* 0 when there is none */
	bool opsize, rep, bad, fs;
};

static struct prefixes prefixes_of(const uint8_t *p, unsigned len)
{
	struct prefixes x = { 0 };

	for (; x.n < len; x.n++) {
		switch (p[x.n]) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			x.bad = true; /* is_prefix_bad() of arch/x86/kernel/uprobes.c */
			continue;
		case 0x64:
			x.fs = true;
			continue;
		case 0x66:
			x.opsize = true;
			continue;
		case 0xf2:
		case 0xf3:
			x.rep = true;
			continue;
		case 0x65:
		case 0x67:
			continue;
		}
		break;
	}
	if (x.n < len && (p[x.n] & 0xf0) == 0x40)
		x.rex = p[x.n++];
	return x;
}

/*
 * Opcodes that good_insns_64[] of arch/x86/kernel/uprobes.c leaves out, one
 * bit each: i/o, interrupts, hlt, cli, sti and what is invalid in 64-bit mode.
 */
static bool opcode_refused(uint8_t op)
{
	static const uint16_t refused[16] = {
		0xc0c0, 0xc0c0, 0xc0c0, 0xc0c0, 0xffff, 0,      0xf0c7, 0,
		0x0004, 0,      0,      0,      0xf030, 0x0070, 0xf0f0, 0x0c13,
	};

	return refused[op >> 4] >> (op & 15) & 1;
}

/*
 * The kernel's decoder treats the opcode byte after a VEX or EVEX prefix as a one-byte opcode, so
 * that vmovdqu (6f) and vpxor (ef) are refused and vzeroupper (77) is not: tried with uprobes
 * on 6.18.
 */
static uint8_t table_opcode(const uint8_t *p, unsigned n, unsigned len)
{
	unsigned at = n;

	if (p[n] == 0xc5)
		at = n + 2;
	else if (p[n] == 0xc4)
		at = n + 3;
	else if (p[n] == 0x62)
		at = n + 4;
	return at < len ? p[at] : 0xcc;
}

/* Emulated are nop, jmp, jcc, call rel32 and push: from v3.16 on, push from v4.16 on. */
static uint8_t class_of(const uint8_t *p, unsigned len, const struct prefixes *x, uint8_t flow)
{
	uint8_t op = p[x->n];

	if (x->bad || (op != 0x0f && opcode_refused(table_opcode(p, x->n, len))))
		return INSN_REFUSED;
	switch (flow) {
	case FLOW_JMP:
	case FLOW_JCC:
	case FLOW_CALL:
		return x->opsize ? INSN_REFUSED : INSN_EMULATED; /* 16-bit forms: -ENOTSUPP */
	case FLOW_NEXT:
		/* push_setup_xol_ops() takes no prefix but REX.B; nop: 0x90 itself, no pause, no
		 * xchg */
		if ((op & 0xf8) == 0x50 && (len == 1 || (len == 2 && x->rex == 0x41)))
			return INSN_EMULATED;
		if (op == 0x90 && !x->rep && !x->rex && len == x->n + 1)
			return INSN_EMULATED;
	}
	return INSN_STEP;
}

static uint8_t flow_of(const uint8_t *op, unsigned len)
{
	switch (op[0]) {
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return FLOW_RET;
	case 0xcc:
	case 0xf4:
		return FLOW_TRAP;
	case 0xe8:
		return FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return FLOW_JMP;
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return FLOW_JCC;
	case 0x0f:
		if (len > 1 && op[1] == 0x0b)
			return FLOW_TRAP;
		return len > 1 && (op[1] & 0xf0) == 0x80 ? FLOW_JCC : FLOW_NEXT;
	case 0xff:
		if (len > 1 && ((op[1] >> 3 & 7) == 4 || (op[1] >> 3 & 7) == 5))
			return FLOW_JMP_IND;
		return len > 1 && ((op[1] >> 3 & 7) == 2 || (op[1] >> 3 & 7) == 3) ? FLOW_CALL_IND
										   : FLOW_NEXT;
	}
	return (op[0] & 0xf0) == 0x70 ? FLOW_JCC : FLOW_NEXT;
}

/* SSE's scalars begin with these prefixes as well, before 0f; string instructions may have a REX.
 */
static bool repeats(const uint8_t *p, unsigned len)
{
	unsigned at = len > 1 && (p[1] & 0xf0) == 0x40 ? 2 : 1;

	return (*p == 0xf2 || *p == 0xf3) && at < len && p[at] != 0x0f;
}

void x86_classify(struct insn *in, const uint8_t *p)
{
	struct prefixes x = prefixes_of(p, in->len);

	in->flow = FLOW_NEXT;
	in->class = INSN_REFUSED;
	in->tls = x.fs;
	in->loops = repeats(p, in->len);
	in->plain_ret = in->len == 1 && *p == 0xc3;
	in->target = -1;
	if (x.n >= in->len)
		return;
	in->flow = flow_of(p + x.n, in->len - x.n);
	in->class = class_of(p, in->len, &x, in->flow);
	if (in->flow != FLOW_JMP && in->flow != FLOW_JCC && in->flow != FLOW_CALL)
		return;
	/* loop, jrcxz (e0 to e3) take a displacement like jcc, but are stepped */
	if ((p[x.n] & 0xfc) == 0xe0)
		in->class = INSN_STEP;
	unsigned disp = in->len - x.n - (p[x.n] == 0x0f ? 2 : 1);
	int64_t rel = disp == 1   ? (int8_t)p[in->len - 1]
		      : disp == 4 ? (int32_t)load32(p + in->len - 4)
				  : 0;
	in->target = (int64_t)in->off + in->len + rel;
}

bool x86_sp_change(const uint8_t *p, unsigned len, int64_t *down_bytes)
{
	if (len == 2 && p[0] == 0x41 && (p[1] & 0xf0) == 0x50) { /* push, pop of r8 to r15 */
		*down_bytes = p[1] & 8 ? -8 : 8;
		return true;
	}
	if (len == 1 && (p[0] & 0xf0) == 0x50 && p[0] != 0x5c) { /* not pop %rsp */
		*down_bytes = p[0] & 8 ? -8 : 8;
		return true;
	}
	if (len == 1 && (p[0] == 0x9c || p[0] == 0x9d)) { /* pushf, popf */
		*down_bytes = p[0] == 0x9c ? 8 : -8;
		return true;
	}
	if (len < 4 || p[0] != 0x48)
		return false;
	bool imm8 = p[1] == 0x83 && len == 4, imm32 = p[1] == 0x81 && len == 7;
	if ((imm8 || imm32) && (p[2] == 0xec || p[2] == 0xc4)) { /* sub, add */
		int64_t v = imm8 ? (int8_t)p[3] : (int32_t)load32(p + 3);

		*down_bytes = p[2] == 0xec ? v : -v;
		return true;
	}
	if (p[1] != 0x8d || p[3] != 0x24) /* lea d(%rsp),%rsp */
		return false;
	if (p[2] == 0x64 && len == 5)
		*down_bytes = -(int64_t)(int8_t)p[4];
	else if (p[2] == 0xa4 && len == 8)
		*down_bytes = -(int64_t)(int32_t)load32(p + 4);
	else
		return false;
	return true;
}

/* ModRM with a SIB byte that names an index register (100 without REX.X: none). */
static bool indexed(const uint8_t *modrm, unsigned room, uint8_t rex)
{
	return room >= 2 && modrm[0] >> 6 != 3 && (modrm[0] & 7) == 4 &&
	       ((modrm[1] >> 3 & 7) != 4 || (rex & 2));
}

bool x86_is_table_jump(const uint8_t *p, unsigned len)
{
	struct prefixes x = prefixes_of(p, len);

	return x.n + 2 < len && p[x.n] == 0xff && (p[x.n + 1] >> 3 & 7) == 4 &&
	       indexed(p + x.n + 1, len - x.n - 1, x.rex);
}

int x86_jump_reg(const uint8_t *p, unsigned len)
{
	struct prefixes x = prefixes_of(p, len);

	if (x.n + 2 != len || p[x.n] != 0xff || (p[x.n + 1] & 0xf8) != 0xe0)
		return -1;
	return (p[x.n + 1] & 7) | (x.rex & 1) << 3;
}

bool x86_is_table_load(const uint8_t *p, unsigned len, int reg)
{
	struct prefixes x = prefixes_of(p, len);

	return x.n + 2 < len && p[x.n] == 0x8b &&
	       ((p[x.n + 1] >> 3 & 7) | (x.rex & 4) << 1) == reg &&
	       indexed(p + x.n + 1, len - x.n - 1, x.rex);
}

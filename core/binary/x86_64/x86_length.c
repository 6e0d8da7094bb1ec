/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/x86_64/x86_length.h"

#include <stdbool.h>

/* What follows an opcode. */
#define MODRM 1
#define IMM8  2
#define IMMZ  4 /* 4 bytes, 2 with the prefix 66 */
#define SOME  8 /* not all forms of it: is_common() */
/* The prefixes that it is known with; one at most. */
#define P0  0x10
#define P66 0x20
#define PF2 0x40
#define PF3 0x80
#define PI  (P0 | P66)
#define PS  (P0 | P66 | PF2 | PF3)

/* add, or, adc, sbb, and, sub, xor, cmp */
#define ARITHMETIC(op) \
	[(op)...(op) + 3] = PI | MODRM, [(op) + 4] = P0 | IMM8, [(op) + 5] = PI | IMMZ

static const uint8_t one_byte[256] = {
	ARITHMETIC(0x00),
	ARITHMETIC(0x08),
	ARITHMETIC(0x10),
	ARITHMETIC(0x18),
	ARITHMETIC(0x20),
	ARITHMETIC(0x28),
	ARITHMETIC(0x30),
	ARITHMETIC(0x38),
	[0x50 ... 0x5f] = P0, /* push, pop */
	[0x63] = P0 | MODRM,  /* movslq */
	[0x68] = P0 | IMMZ,   /* push */
	[0x69] = PI | MODRM | IMMZ,
	[0x6a] = P0 | IMM8,
	[0x6b] = PI | MODRM | IMM8,
	[0x70 ... 0x7f] = P0 | IMM8, /* jcc */
	[0x80] = P0 | MODRM | IMM8,
	[0x81] = PI | MODRM | IMMZ,
	[0x83] = PI | MODRM | IMM8,
	[0x84 ... 0x8b] = PI | MODRM, /* test, xchg, mov */
	[0x8d] = PI | MODRM | SOME,   /* lea */
	[0x90 ... 0x99] = P0,         /* nop, xchg, cltq, cqto */
	[0xa8] = P0 | IMM8,           /* test */
	[0xa9] = PI | IMMZ,
	[0xb0 ... 0xb7] = P0 | IMM8,       /* mov */
	[0xb8 ... 0xbf] = P0 | IMMZ,       /* 8 bytes with REX.W */
	[0xc0] = P0 | MODRM | IMM8 | SOME, /* shifts */
	[0xc1] = PI | MODRM | IMM8 | SOME,
	[0xc3] = P0,
	[0xc6] = P0 | MODRM | IMM8 | SOME, /* mov */
	[0xc7] = PI | MODRM | IMMZ | SOME,
	[0xcc] = P0,
	[0xd0] = P0 | MODRM | SOME, /* shifts */
	[0xd1] = PI | MODRM | SOME,
	[0xd2] = P0 | MODRM | SOME,
	[0xd3] = PI | MODRM | SOME,
	[0xe8 ... 0xe9] = P0 | IMMZ, /* call, jmp */
	[0xeb] = P0 | IMM8,
	[0xf6] = P0 | MODRM | SOME, /* test, not, neg, mul, div */
	[0xf7] = PI | MODRM | SOME,
	[0xfe] = P0 | MODRM | SOME, /* inc, dec */
	[0xff] = P0 | MODRM | SOME, /* the same, call, jmp, push */
};

/* After 0f. */
static const uint8_t two_byte[256] = {
	[0x0b] = P0,                  /* ud2 */
	[0x10 ... 0x11] = PS | MODRM, /* movups, movupd, movss, movsd */
	[0x1f] = PI | MODRM | SOME,   /* nop */
	[0x28 ... 0x29] = PI | MODRM, /* movaps */
	[0x2a] = PF2 | PF3 | MODRM,   /* cvtsi2sd */
	[0x2c] = PF2 | PF3 | MODRM,
	[0x2e ... 0x2f] = PI | MODRM, /* ucomisd */
	[0x40 ... 0x4f] = PI | MODRM, /* cmov */
	[0x51] = PS | MODRM,          /* sqrt */
	[0x54 ... 0x57] = PI | MODRM, /* and, andn, or, xor */
	[0x58 ... 0x5a] = PS | MODRM, /* add, mul, cvt */
	[0x5c ... 0x5f] = PS | MODRM, /* sub, min, div, max */
	[0x6e] = P66 | MODRM,         /* movd, movq */
	[0x6f] = P66 | PF3 | MODRM,   /* movdqa, movdqu */
	[0x7e] = P66 | MODRM,
	[0x7f] = P66 | PF3 | MODRM,
	[0x80 ... 0x8f] = P0 | IMMZ,  /* jcc */
	[0x90 ... 0x9f] = P0 | MODRM, /* setcc */
	[0xa3] = PI | MODRM,          /* bt */
	[0xab] = PI | MODRM,          /* bts */
	[0xaf] = PI | MODRM,          /* imul */
	[0xb0 ... 0xb1] = PI | MODRM, /* cmpxchg */
	[0xb3] = PI | MODRM,          /* btr */
	[0xb6 ... 0xb7] = PI | MODRM, /* movz */
	[0xba] = PI | MODRM | IMM8 | SOME,
	[0xbb] = PI | MODRM,          /* btc */
	[0xbc ... 0xbd] = PI | MODRM, /* bsf, bsr */
	[0xbe ... 0xbf] = PI | MODRM, /* movs */
	[0xc8 ... 0xcf] = P0,         /* bswap */
	[0xef] = P66 | MODRM,         /* pxor */
};

/* Of an opcode with SOME, and its ModRM byte. */
static bool is_common(bool two, uint8_t op, uint8_t modrm)
{
	const unsigned reg = modrm >> 3 & 7;

	if (two)
		return op == 0xba ? reg >= 4 : reg == 0 && modrm >> 6 != 3;
	switch (op) {
	case 0x8d:
		return modrm >> 6 != 3;
	case 0xc6:
	case 0xc7:
		return reg == 0;
	case 0xf6:
	case 0xf7:
		return reg != 1;
	case 0xfe:
		return reg <= 1;
	case 0xff:
		return reg != 3 && reg != 5 && reg != 7;
	default: /* shifts */
		return reg != 6;
	}
}

/* Bytes of an operand from its ModRM byte on; 0: it is cut off. */
static unsigned operand_bytes(const uint8_t *p, size_t left)
{
	if (!left)
		return 0;
	const unsigned mod = p[0] >> 6, rm = p[0] & 7;

	if (mod == 3)
		return 1;
	if (rm != 4)
		return mod == 1 ? 2 : mod == 2 || rm == 5 ? 5 : 1;
	if (left < 2)
		return 0;
	return mod == 1 ? 3 : mod == 2 || (p[1] & 7) == 5 ? 6 : 2;
}

static unsigned prefix_of(uint8_t byte)
{
	return byte == 0x66 ? P66 : byte == 0xf2 ? PF2 : byte == 0xf3 ? PF3 : P0;
}

unsigned x86_length(const uint8_t *p, size_t left)
{
	unsigned n = 0, prefix, rex = 0;
	bool two;

	if (left < 4) /* up to the byte after a two-byte opcode */
		return 0;
	prefix = prefix_of(p[0]);
	n += prefix != P0;
	if ((p[n] & 0xf0) == 0x40)
		rex = p[n++];
	two = p[n] == 0x0f;
	n += two;
	if (n + 1 > left)
		return 0;
	const uint8_t op = p[n++], what = two ? two_byte[op] : one_byte[op];

	if (!(what & prefix) || (!two && prefix == P66 && rex & 8))
		return 0;
	if (what & MODRM) {
		const unsigned operand = operand_bytes(p + n, left - n);

		if (!operand || (what & SOME && !is_common(two, op, p[n])))
			return 0;
		/* test: the only one of its opcode with an immediate */
		if (!two && (op & 0xfe) == 0xf6 && (p[n] >> 3 & 7) == 0)
			n += op == 0xf6 ? 1 : prefix == P66 ? 2 : 4;
		n += operand;
	}
	if (what & IMM8)
		n += 1;
	if (what & IMMZ)
		n += !two && (op & 0xf8) == 0xb8 && rex & 8 ? 8 : prefix == P66 ? 2 : 4;
	return n <= left ? n : 0;
}

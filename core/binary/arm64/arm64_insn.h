/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts that an instruction word of arm64 shows. "DDI 0487" of Arm has the encodings, under
 * "A64 Instruction Set Encoding". Private to this folder.
 */
#ifndef GOTRACE_ARM64_INSN_H
#define GOTRACE_ARM64_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "binary/goinsn.h"

#define ARM64_BYTES 4

/* Numbers of registers. 31 is the stack pointer as a base or as the result of an addition, else the
 * zero register. */
enum {
	ARM64_R0 = 0,
	ARM64_CLOSURE = 26, /* cmd/compile/abi-internal.md */
	ARM64_G = 28,
	ARM64_FP = 29,
	ARM64_SP = 31,
};

static inline unsigned arm64_rd(uint32_t w)
{
	return w & 31;
}

static inline unsigned arm64_rn(uint32_t w)
{
	return w >> 5 & 31;
}

/* Fills all of *in from the word but its offset, which is given. */
void arm64_classify(uint32_t w, struct insn *in);

/* Returns the bytes that a load of a constant behind the code reads, 0 for other instructions.
 * *distance_bytes is the distance from the instruction to the constant. */
unsigned arm64_literal(uint32_t w, int64_t *distance_bytes);
/* Returns true for adrp, with the distance from the page of the instruction to the page that it
 * takes the address of. */
bool arm64_adrp(uint32_t w, int64_t *distance_bytes);
/* Returns true for an addition of a constant to a register of 64 bits, or a subtraction. */
bool arm64_add(uint32_t w, int64_t *n);
/* Returns true when the instruction moves a constant into register rd. */
bool arm64_constant(uint32_t w, unsigned *rd, uint64_t *n);
/* Returns true for a load of a word of 8 bytes from a register and a constant distance. */
bool arm64_load64(uint32_t w, int64_t *distance_bytes);
/* Returns true for such a load of two words, one after the other. */
bool arm64_load_two64(uint32_t w, int64_t *distance_bytes);

/* An access to memory. */
struct arm64_access {
	bool loads;           /* and not only stores */
	bool others;          /* it adds another register, or is of an unknown form */
	bool writes_base;     /* it changes its base */
	int64_t offset_bytes; /* from the base, where memory is accessed */
	int64_t moved_bytes;  /* by how much the base changes */
};
/* Returns true when the instruction accesses memory by a register, arm64_rn. */
bool arm64_access(uint32_t w, struct arm64_access *a);
/* Returns a bit for each of the registers 0 to 30 that it writes, or may write. */
uint32_t arm64_written(uint32_t w);
/* Returns true when it may write the stack pointer, other than as the base of an access. */
bool arm64_writes_sp(uint32_t w);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The few facts that an instruction's bytes show without a disassembler. Private to this folder. */
#ifndef GOTRACE_X86_INSN_H
#define GOTRACE_X86_INSN_H

#include "binary/goinsn.h"

/* Fills all of in from its bytes. off and len are given. */
void x86_classify(struct insn *in, const uint8_t *p);

/* Computes the bytes by which the instruction lowers rsp, when its encoding gives them. Such
 * instructions are push, pop, add, sub and lea of constants. Returns false for others. */
bool x86_sp_change(const uint8_t *p, unsigned len, int64_t *down_bytes);

/* Returns true for jmp *MEM with an index register, the form of a jump table. */
bool x86_is_table_jump(const uint8_t *p, unsigned len);
/* Returns the number of the register that `jmp *REG` goes through, -1 for other instructions. */
int x86_jump_reg(const uint8_t *p, unsigned len);
/* Returns true for mov MEM,REG with an index register, a load from a table into `reg`. */
bool x86_is_table_load(const uint8_t *p, unsigned len, int reg);

#endif

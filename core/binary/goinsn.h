/* SPDX-License-Identifier: BSD-2-Clause */
/* The few facts that an instruction's bytes show without a disassembler. Private to core/binary. */
#ifndef GOTRACE_GOINSN_H
#define GOTRACE_GOINSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_flow {
	FLOW_NEXT, /* goes on with the next instruction */
	FLOW_JMP,
	FLOW_JCC,
	FLOW_CALL, /* relative */
	FLOW_JMP_IND,
	FLOW_CALL_IND,
	FLOW_RET,
	FLOW_TRAP, /* ud2, int3, hlt; execution does not pass them */
};

struct insn {
	uint32_t off; /* from the function's first byte */
	uint8_t len;
	uint8_t flow;  /* enum insn_flow */
	uint8_t class; /* enum insn_class of binary/gocode.h */
	bool fs;       /* has an fs: prefix and reads TLS */
	/* target of a relative branch, counted like off; may lie outside the function */
	int64_t target;
};

/* Fills flow, class, fs and target of in from its bytes. off and len are given. */
void insn_classify(struct insn *in, const uint8_t *p);

/* Computes the bytes by which the instruction lowers rsp, when its encoding gives them. Such
 * instructions are push, pop, add, sub and lea of constants. Returns false for others. */
bool insn_sp_change(const uint8_t *p, unsigned len, int64_t *down_bytes);

/* Returns true for a string instruction with a prefix rep or repne, which is a loop. */
bool insn_repeats(const uint8_t *p, unsigned len);

/* Returns true for jmp *MEM with an index register, the form of a jump table. */
bool insn_is_table_jump(const uint8_t *p, unsigned len);
/* Returns the number of the register that `jmp *REG` goes through, -1 for other instructions. */
int insn_jump_reg(const uint8_t *p, unsigned len);
/* Returns true for mov MEM,REG with an index register, a load from a table into `reg`. */
bool insn_is_table_load(const uint8_t *p, unsigned len, int reg);

#endif

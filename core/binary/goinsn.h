/* SPDX-License-Identifier: BSD-2-Clause */
/* The few things that an instruction's bytes say without a disassembler. Private to core/binary. */
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
	FLOW_TRAP, /* ud2, int3, hlt: not gone past */
};

struct insn {
	uint32_t off; /* from the function's first byte */
	uint8_t len;
	uint8_t flow;   /* enum insn_flow */
	uint8_t class;  /* enum insn_class of binary/gocode.h */
	bool fs;        /* has an fs: prefix: reads TLS */
	int64_t target; /* of a relative branch, counted like off; may lie outside the function */
};

/* Fills flow, class, fs and target of in (off and len are given) from its bytes. */
void insn_classify(struct insn *in, const uint8_t *p);

/* Bytes by which the instruction lowers rsp, when its encoding gives them: push, pop, add, sub and
 * lea of constants. false: it is none of these. */
bool insn_sp_change(const uint8_t *p, unsigned len, int64_t *down_bytes);

/* It has a prefix rep or repne, and is a loop: a string instruction. */
bool insn_repeats(const uint8_t *p, unsigned len);

/* jmp *MEM with an index register, the form of a jump table. */
bool insn_is_table_jump(const uint8_t *p, unsigned len);
/* Number of the register that `jmp *REG` goes through, -1 for other instructions. */
int insn_jump_reg(const uint8_t *p, unsigned len);
/* mov MEM,REG with an index register: a load from a table into `reg`. */
bool insn_is_table_load(const uint8_t *p, unsigned len, int reg);

#endif

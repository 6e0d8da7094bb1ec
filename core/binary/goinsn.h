/* SPDX-License-Identifier: BSD-2-Clause */
/* An instruction, as each processor's decoder fills it. Private to core/binary. */
#ifndef GOTRACE_GOINSN_H
#define GOTRACE_GOINSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_flow {
	FLOW_NEXT, /* goes on with the next instruction */
	FLOW_JMP,
	FLOW_JCC,  /* conditional */
	FLOW_CALL, /* relative */
	FLOW_JMP_IND,
	FLOW_CALL_IND,
	FLOW_RET,
	FLOW_TRAP, /* execution does not pass it */
};

struct insn {
	uint32_t off; /* from the function's first byte */
	uint8_t len;
	uint8_t flow;  /* enum insn_flow */
	uint8_t class; /* enum insn_class of binary/gocode.h */
	/* reads thread-local storage */
	bool tls : 1;
	/* a RET that only pops the return address, in its shortest form */
	bool plain_ret : 1;
	/* repeats itself, as string instructions may */
	bool loops : 1;
	/* target of a relative branch, counted like off; may lie outside the function */
	int64_t target;
};

#endif

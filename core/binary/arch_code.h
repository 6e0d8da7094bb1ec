/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A processor's part of the analysis of code. The other part needs only branches and calls. It is
 * in gocode.c and the files beside it, once for all processors. Private to core/binary.
 */
#ifndef GOTRACE_ARCH_CODE_H
#define GOTRACE_ARCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct body;    /* binary/gocode_impl.h: a function that is being analysed */
struct gocode;  /* binary/gocode.h: the analysis */
struct insn;    /* binary/goinsn.h */
struct decoder; /* the processor's own, for one thread */

/* The stack check that the assembler puts first. */
struct check {
	bool found;
	bool user;        /* it compares with g.stackguard0, with g in its register */
	uint32_t restart; /* offset at which the function continues after morestack */
	size_t jcc;       /* index of its last conditional jump */
};

/* The effects of an instruction on memory, and on registers that others access memory by. */
struct memory_use {
	bool faults;      /* see may_fault */
	bool others;      /* it may fault otherwise than by the registers of `bases` */
	uint32_t bases;   /* registers that it accesses memory at, near their values: a bit each */
	uint32_t written; /* registers that it writes */
};

struct arch_code {
	/* The reason why open fails with ENOTSUP, a sentence with the next step. */
	const char *no_decoder;
	/* The jump of a stack check is where the entry is. On other processors that is the first
	 * emulated instruction after it, if there is one. */
	bool entry_at_check;
	/* Returns NULL with errno ENOMEM or ENOTSUP. Logs nothing. */
	struct decoder *(*open)(void);
	void (*close)(struct decoder *d);
	/* Fills all of *in from the bytes at p but its offset, which is given. `left` bytes may be
	 * read. Returns false when no instruction begins there. */
	bool (*decode)(struct decoder *d, const uint8_t *p, size_t left, uint64_t vaddr,
		       struct insn *in);

	/* Returns true when the indirect jump at index i goes through a table of this function's
	 * own labels. */
	bool (*is_table_jump)(const struct body *y, size_t i);
	struct check (*check)(const struct body *y);
	/* Returns true when g is in its register at the entry. */
	bool (*g_in_register)(const struct body *y, const struct check *k);

	/* The others are called for instructions with FLOW_NEXT. Where the effect of one is not
	 * known, they return the worst. */

	/* Returns true when it may raise a fault that the runtime turns into a panic. That is a
	 * division, or a memory access other than to the frame, to g or to a fixed place. */
	bool (*may_fault)(const struct body *y, const struct insn *in);
	/* Returns true when it reads memory at the closure's register and no other memory. A call
	 * of a nil func faults at the call, so such an instruction cannot fault at the entry. */
	bool (*reads_closure)(const struct body *y, const struct insn *in);
	bool (*writes_closure)(const struct body *y, const struct insn *in);
	/* Returns true when it writes the register of the first result. */
	bool (*writes_result)(const struct body *y, const struct insn *in);
	/* Adds to *down_bytes by how much it lowers the stack pointer. Returns false when it
	 * changes it in a way that is not followed. */
	bool (*follow_sp)(const struct body *y, const struct insn *in, int64_t *down_bytes);
	struct memory_use (*memory)(const struct body *y, const struct insn *in);

	/* Both are NULL for a processor without stubs. */
	/* Fills the windows once all else is known. Returns 0 or -ENOMEM. */
	int (*windows)(const struct body *y, struct gocode *out);
	/* Fills the windows for inline stubs, after the other windows. Returns 0 or -ENOMEM. */
	int (*inline_windows)(const struct body *y, struct gocode *out);
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the parts of x86-64's code analysis share. Private to this folder. */
#ifndef GOTRACE_X86_CODE_H
#define GOTRACE_X86_CODE_H

#include <capstone/capstone.h>

#include "binary/gocode_impl.h"

#define DETAILS   32
#define NO_DETAIL UINT64_MAX

struct decoder {
	csh fast;                         /* lengths only */
	csh detail;                       /* registers read and written */
	cs_insn *fast_insn, *detail_insn; /* detail_insn is x86_detail's */
	/* Instructions with details, and their addresses. Windows overlap, and the analysis looks
	 * at each instruction often. */
	cs_insn *details[DETAILS];
	uint64_t detail_at[DETAILS];
};

/* Decodes an instruction with its details into detail_insn. Returns false when it cannot be
 * decoded. */
bool x86_detail(const struct body *y, const struct insn *in);
/* Returns ACCESS_* of instruction `in` to the registers of `set`, which X86_REG_INVALID ends.
 * Returns both when the accesses are not known. */
#define ACCESS_READS  1
#define ACCESS_WRITES 2
unsigned x86_accesses(const struct body *y, const struct insn *in, const x86_reg *set);

/* See struct arch_code. */
struct check x86_check(const struct body *y);
bool x86_g_in_register(const struct body *y, const struct check *k);
int x86_windows(const struct body *y, struct gocode *out);
int x86_inline_windows(const struct body *y, struct gocode *out);
/* Does what may_fault of struct arch_code does. The instruction stays in detail_insn. */
bool x86_may_fault(const struct body *y, const struct insn *in);
bool x86_reads_closure(const struct body *y, const struct insn *in);
bool x86_writes_closure(const struct body *y, const struct insn *in);
bool x86_writes_result(const struct body *y, const struct insn *in);
bool x86_follow_sp(const struct body *y, const struct insn *in, int64_t *down_bytes);
struct memory_use x86_memory(const struct body *y, const struct insn *in);

/* Functions that x86_window.c and x86_inline*.c share: */
/* Returns WINDOW_OK when this instruction can be executed elsewhere, else the reason. Decodes its
 * details. */
enum window_fate x86_displaceable(const struct body *y, const struct insn *in);
/* Returns the index of the instruction after the prologue's push %rbp and mov %rsp,%rbp, where
 * other tools put probes. When the entry is the check's jump, it is the one after that. Returns
 * y->n when the entry is a call or another branch. */
size_t x86_after_prologue(const struct body *y, const struct gocode *out);

#endif

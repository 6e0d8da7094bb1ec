/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the parts of the code analysis share. Private to core/binary. */
#ifndef GOTRACE_GOCODE_IMPL_H
#define GOTRACE_GOCODE_IMPL_H

#include <capstone/capstone.h>

#include "binary/gocode.h"
#include "binary/goinsn.h"

#define MAX_MORESTACK 8 /* three functions, an ABI0 and an ABIInternal symbol each */

#define DETAILS   32
#define NO_DETAIL UINT64_MAX

struct gocode_ctx {
	const struct gobin *b;
	csh fast;                         /* lengths only */
	csh detail;                       /* registers read and written */
	cs_insn *fast_insn, *detail_insn; /* detail_insn is gocode_detail's */
	/* Instructions with details, and their addresses. Windows overlap, and the analysis looks
	 * at each instruction often. */
	cs_insn *details[DETAILS];
	uint64_t detail_at[DETAILS];
	/* possible jump-table targets inside functions, ascending */
	uint64_t *words;
	size_t n_words, cap_words;
	bool cloned; /* words belong to another context */
	bool oom;
	bool want_inline;
	uint64_t morestack[MAX_MORESTACK];
	size_t n_morestack;
	/* for the present function: */
	struct insn *insns;
	size_t cap_insns;
	uint64_t *targets; /* has a bit for each byte that a branch goes to */
	size_t cap_targets;
};

/* A function that is being analysed. */
struct body {
	struct gocode_ctx *c;
	const struct gofunc *f;
	const uint8_t *code;
	const struct insn *insns;
	size_t n;
};

/* The stack check that the assembler puts first (cmd/internal/obj/x86/obj6.go stacksplit). */
struct check {
	bool found;
	bool user;        /* it compares with 0x10(%r14), which is g.stackguard0 with g in R14 */
	uint32_t restart; /* offset at which the function continues after morestack */
	size_t jcc;       /* index of its last conditional jump */
};

static inline struct code_point point(const struct insn *in, int64_t rsp_to_ra_bytes)
{
	return (struct code_point){ .off = in->off,
				    .rsp_to_ra_bytes = (uint16_t)rsp_to_ra_bytes,
				    .len = in->len,
				    .class = in->class };
}

/* Returns the point of a RET. */
static inline struct code_point ret_point(const struct body *y, const struct insn *in)
{
	struct code_point at = point(in, 0);

	at.plain_ret = in->len == 1 && y->code[in->off] == 0xc3;
	return at;
}

/* Decodes the whole function, from its first byte on, into insns. Returns 0, -ENOMEM, or -EILSEQ at
 * an unknown instruction. */
int gocode_decode(struct body *y);
/* Decodes an instruction with its details into detail_insn. Returns false when it cannot be
 * decoded. */
bool gocode_detail(const struct body *y, const struct insn *in);
bool gocode_is_morestack_call(const struct body *y, const struct insn *in);
/* Returns true when any branch of the function or entry of a jump table goes to [lo, hi].
 * morestack's way back to the start does not count. */
bool gocode_targeted(const struct body *y, uint32_t lo, uint32_t hi);
/* Returns true when an entry of a jump table goes to [lo, hi]. */
bool gocode_in_table(const struct body *y, uint32_t lo, uint32_t hi);
/* Returns ACCESS_* of instruction `in` to the registers of `set`, which X86_REG_INVALID ends.
 * Returns both when the accesses are not known. */
#define ACCESS_READS  1
#define ACCESS_WRITES 2
unsigned gocode_accesses(const struct body *y, const struct insn *in, const x86_reg *set);

struct check gocode_check(const struct body *y);
/* Fills entry and has_entry; loop_at_start is known. */
void gocode_entry(const struct body *y, const struct check *k, struct gocode *out);
/* Fills values_entry and has_values_entry; loop_at_start is known. */
void gocode_values_entry(const struct body *y, const struct check *k, struct gocode *out);
/* Returns true when an instruction may raise a fault that the runtime turns into a panic. Returns
 * true also when that is not known. The instruction stays in detail_insn. */
bool gocode_may_fault(const struct body *y, const struct insn *in);
/* Fills the windows once all else is known. Returns 0 or -ENOMEM. */
int gocode_windows(const struct body *y, struct gocode *out);
/* Fills the windows for inline stubs, after the other windows. Returns 0 or -ENOMEM. */
int gocode_inline_windows(const struct body *y, struct gocode *out);

/* Functions that gowindow.c and goinline.c share: */
/* Returns WINDOW_OK when this instruction can be executed elsewhere, else the reason. Decodes its
 * details. */
enum window_fate gocode_displaceable(const struct body *y, const struct insn *in);
/* Reads rsp's distance from the compiler's own table. Returns false when it is not known. */
bool gocode_sp_at(const struct body *y, uint32_t off, uint16_t *adj);
/* Returns the index of the instruction at `off`. */
size_t gocode_index_at(const struct body *y, uint32_t off);
/* Returns the index of the instruction after the prologue's push %rbp and mov %rsp,%rbp, where
 * other tools put probes. When the entry is the check's jump, it is the one after that. Returns
 * y->n when the entry is a call or another branch. */
size_t gocode_after_prologue(const struct body *y, const struct gocode *out);
/* The most instructions of a brief function. They take a few dozen nanoseconds, less than a
 * probe. */
#define GOCODE_BRIEF_MAX 128
/* Fills `brief`. The entry, or the late one, is known. */
void gocode_brief(const struct body *y, const struct check *k, struct gocode *out);
bool gocode_g_in_r14(const struct body *y, const struct check *k);

#endif

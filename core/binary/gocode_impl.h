/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the code analysis share. Private to core/binary. */
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
	cs_insn *fast_insn, *detail_insn; /* detail_insn: that of gocode_detail */
	/* Instructions with details, and where they are: windows overlap, and look at each often.
	 */
	cs_insn *details[DETAILS];
	uint64_t detail_at[DETAILS];
	/* possible jump-table targets inside functions, ascending */
	uint64_t *words;
	size_t n_words, cap_words;
	bool cloned; /* words are another's */
	bool oom;
	bool want_inline;
	uint64_t morestack[MAX_MORESTACK];
	size_t n_morestack;
	/* of the function at hand */
	struct insn *insns;
	size_t cap_insns;
	uint64_t *targets; /* a bit for each byte that a branch goes to */
	size_t cap_targets;
};

/* One function being taken apart. */
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
	bool user;        /* against 0x10(%r14): g.stackguard0, g in R14 */
	uint32_t restart; /* offset at which the function goes on after morestack */
	size_t jcc;       /* index of its last conditional jump */
};

static inline struct code_point point(const struct insn *in, int64_t rsp_to_ra_bytes)
{
	return (struct code_point){ .off = in->off,
				    .rsp_to_ra_bytes = (uint16_t)rsp_to_ra_bytes,
				    .len = in->len,
				    .class = in->class };
}

/* The same for a RET. */
static inline struct code_point ret_point(const struct body *y, const struct insn *in)
{
	struct code_point at = point(in, 0);

	at.plain_ret = in->len == 1 && y->code[in->off] == 0xc3;
	return at;
}

/* Decodes the whole function, from its first byte on, into insns. 0, -ENOMEM, or -EILSEQ at an
 * unknown instruction. */
int gocode_decode(struct body *y);
/* Decodes an instruction with its details into detail_insn. false: it cannot be. */
bool gocode_detail(const struct body *y, const struct insn *in);
bool gocode_is_morestack_call(const struct body *y, const struct insn *in);
/* Whether any branch of the function or entry of a jump table goes to [lo, hi];
 * morestack's way back to the start does not count. */
bool gocode_targeted(const struct body *y, uint32_t lo, uint32_t hi);
/* The same for jump tables alone. */
bool gocode_in_table(const struct body *y, uint32_t lo, uint32_t hi);
/* What instruction `in` does to a register of `set`, which X86_REG_INVALID ends: both also when
 * that is not known. */
#define ACCESS_READS  1
#define ACCESS_WRITES 2
unsigned gocode_accesses(const struct body *y, const struct insn *in, const x86_reg *set);

struct check gocode_check(const struct body *y);
/* Fills entry and has_entry; loop_at_start is known. */
void gocode_entry(const struct body *y, const struct check *k, struct gocode *out);
/* Fills values_entry and has_values_entry; loop_at_start is known. */
void gocode_values_entry(const struct body *y, const struct check *k, struct gocode *out);
/* Whether an instruction may raise a fault that the runtime turns into a panic; true also when that
 * is not known. It stays in detail_insn. */
bool gocode_may_fault(const struct body *y, const struct insn *in);
/* Fills the windows; all else is known. 0 or -ENOMEM. */
int gocode_windows(const struct body *y, struct gocode *out);
/* The windows for inline stubs, after those. 0 or -ENOMEM. */
int gocode_inline_windows(const struct body *y, struct gocode *out);

/* What gowindow.c and goinline.c share. */
/* Can this instruction be executed elsewhere? Decodes its details. */
enum window_fate gocode_displaceable(const struct body *y, const struct insn *in);
/* rsp's distance as the compiler's own table has it; false when it is not known. */
bool gocode_sp_at(const struct body *y, uint32_t off, uint16_t *adj);
/* Index of the instruction at `off`. */
size_t gocode_index_at(const struct body *y, uint32_t off);
/* The instruction after the prologue's push %rbp and mov %rsp,%rbp, where other tools put probes;
 * after the check's jump where that is the entry. y->n: the entry is a call or another branch. */
size_t gocode_after_prologue(const struct body *y, const struct gocode *out);
/* Instructions of a function that is still brief: a few dozen nanoseconds, less than a probe takes.
 */
#define GOCODE_BRIEF_MAX 128
/* Fills `brief`; the entry, or the late one, is known. */
void gocode_brief(const struct body *y, const struct check *k, struct gocode *out);
bool gocode_g_in_r14(const struct body *y, const struct check *k);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the parts of the code analysis share. Private to core/binary. */
#ifndef GOTRACE_GOCODE_IMPL_H
#define GOTRACE_GOCODE_IMPL_H

#include "binary/arch_code.h"
#include "binary/gobin_impl.h"
#include "binary/gocode.h"
#include "binary/goinsn.h"

#define MAX_MORESTACK 8 /* three functions, an ABI0 and an ABIInternal symbol each */

struct gocode_ctx {
	const struct gobin *b;
	const struct arch_code *arch;
	struct decoder *decoder;
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

static inline struct code_point point(const struct insn *in, int64_t to_frame_bytes)
{
	return (struct code_point){ .off = in->off,
				    .to_frame_bytes = (uint16_t)to_frame_bytes,
				    .len = in->len,
				    .class = in->class };
}

/* Returns the point of a RET. */
static inline struct code_point ret_point(const struct insn *in)
{
	struct code_point at = point(in, 0);

	at.plain_ret = in->plain_ret;
	return at;
}

/* Decodes the whole function, from its first byte on, into insns. Returns 0, -ENOMEM, or -EILSEQ at
 * an unknown instruction. */
int gocode_decode(struct body *y);
bool gocode_is_morestack_call(const struct body *y, const struct insn *in);
/* Returns true when any branch of the function or entry of a jump table goes to [lo, hi].
 * morestack's way back to the start does not count. */
bool gocode_targeted(const struct body *y, uint32_t lo, uint32_t hi);
/* Returns true when an entry of a jump table goes to [lo, hi]. */
bool gocode_in_table(const struct body *y, uint32_t lo, uint32_t hi);
/* Fills entry and has_entry; loop_at_start is known. */
void gocode_entry(const struct body *y, const struct check *k, struct gocode *out);
/* Fills values_entry and has_values_entry; loop_at_start is known. */
void gocode_values_entry(const struct body *y, const struct check *k, struct gocode *out);
/* Reads the stack pointer's distance from the compiler's own table. Returns false when it is not
 * known. */
bool gocode_sp_at(const struct body *y, uint32_t off, uint16_t *adj);
/* Returns the index of the instruction at `off`. */
size_t gocode_index_at(const struct body *y, uint32_t off);
/* The most instructions of a brief function. They take a few dozen nanoseconds, less than a
 * probe. */
#define GOCODE_BRIEF_MAX 128
/* Fills `brief`. The entry, or the late one, is known. */
void gocode_brief(const struct body *y, const struct check *k, struct gocode *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the parts of arm64's code analysis share. Private to this folder. */
#ifndef GOTRACE_ARM64_CODE_H
#define GOTRACE_ARM64_CODE_H

#include "binary/gocode_impl.h"

/* Words that a load of a constant can reach ahead: 1 MiB and the longest constant, rounded up. */
#define ARM64_AHEAD (1 << 19)

struct decoder {
	uint64_t next; /* the address after the last word */
	/* A bit for each word ahead that is a constant, by its address. */
	uint64_t constants[ARM64_AHEAD / 64];
	size_t n_constants; /* bits that are set */
};

static inline uint32_t arm64_word(const struct body *y, const struct insn *in)
{
	return load32(y->code + in->off);
}

/* See struct arch_code. */
struct check arm64_check(const struct body *y);
bool arm64_g_in_register(const struct body *y, const struct check *k);
bool arm64_may_fault(const struct body *y, const struct insn *in);
bool arm64_reads_closure(const struct body *y, const struct insn *in);
bool arm64_writes_closure(const struct body *y, const struct insn *in);
bool arm64_writes_result(const struct body *y, const struct insn *in);
bool arm64_follow_sp(const struct body *y, const struct insn *in, int64_t *down_bytes);
struct memory_use arm64_memory(const struct body *y, const struct insn *in);

#endif

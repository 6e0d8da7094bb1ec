/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the windows of inline stubs share. Private to this folder. */
#ifndef GOTRACE_X86_INLINE_IMPL_H
#define GOTRACE_X86_INLINE_IMPL_H

#include "binary/x86_64/x86_code.h"

/* The accesses of an instruction to registers that recording changes. These are scratch registers
 * and flags, and rdx at an exit. */
struct touch {
	bool reads, writes; /* scratch registers */
	bool reads_flags, writes_flags;
	bool reads_rdx;
};

/* Returns the accesses of an instruction, all when they are not known. The instruction stays in
 * detail_insn. */
struct touch inline_touches(const struct body *y, const struct insn *in);

/* Makes the instruction, no branch or call, part of the window if it can be executed elsewhere.
 * Notes its operand relative to rip, and whether it may fault. */
enum window_fate inline_displace(const struct body *y, const struct insn *in,
				 struct code_window *w);

/* Adds a jump to the window. A jump out of the function is an exit. */
enum window_fate inline_add_jump(const struct body *y, const struct insn *in,
				 struct code_window *w);

/* Fills the rooms once all else is known. Returns 0 or -ENOMEM. */
int inline_find_rooms(const struct body *y, struct gocode *out);

/* Returns true when a branch has one of the encodings whose distance can be changed. */
bool inline_plain_branch(const struct body *y, const struct insn *in);

static inline struct code_window inline_no_window(enum window_fate why)
{
	return (struct code_window){ .fate = why };
}

/* Returns the window of the entry, once all but the windows is known. With `jumps` it may displace
 * conditional jumps. */
struct code_window inline_entry_window(const struct body *y, const struct gocode *out, bool jumps);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the windows of inline stubs have in common. Private to core/binary. */
#ifndef GOTRACE_GOINLINE_IMPL_H
#define GOTRACE_GOINLINE_IMPL_H

#include "binary/gocode_impl.h"

/* What an instruction does to what recording changes: scratch registers and flags, and rdx at an
 * exit. */
struct touch {
	bool reads, writes; /* scratch registers */
	bool reads_flags, writes_flags;
	bool reads_rdx;
};

/* All of it when that is not known. The instruction stays in detail_insn. */
struct touch inline_touches(const struct body *y, const struct insn *in);

/* Makes the instruction, no branch or call, part of the window if it can be executed elsewhere:
 * notes what of it is relative to rip, and whether it may fault. */
enum window_fate inline_displace(const struct body *y, const struct insn *in,
				 struct code_window *w);

/* Notes a jump that becomes part of the window. One out of the function is an exit. */
enum window_fate inline_add_jump(const struct body *y, const struct insn *in,
				 struct code_window *w);

/* Fills the rooms; all else is known. 0 or -ENOMEM. */
int inline_find_rooms(const struct body *y, struct gocode *out);

/* Whether a branch has one of the encodings whose distance can be changed. */
bool inline_plain_branch(const struct body *y, const struct insn *in);

static inline struct code_window inline_no_window(enum window_fate why)
{
	return (struct code_window){ .fate = why };
}

/* The window of the entry; all but the windows is known. `jumps`: conditional jumps may be
 * displaced. */
struct code_window inline_entry_window(const struct body *y, const struct gocode *out, bool jumps);

#endif

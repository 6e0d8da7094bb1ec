/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the instructions at which a function can be probed, from its machine code. */
#ifndef GOTRACE_GOCODE_H
#define GOTRACE_GOCODE_H

#include "binary/gobin.h"

/* How a uprobe executes a probed instruction. */
enum insn_class {
	INSN_STEP,     /* copied out of line and single-stepped, which is a second trap */
	INSN_EMULATED, /* by the kernel, in the first trap */
	INSN_REFUSED,  /* the kernel takes no probe there */
};

/* An instruction that a probe can be put on. */
struct code_point {
	uint32_t off; /* from the function's first byte */
	/* bytes from the stack pointer up to the return address; on arm64, which pushes none, up to
	 * where the stack pointer was at the function's entry */
	uint16_t to_frame_bytes;
	uint8_t len;   /* length of the instruction */
	uint8_t class; /* enum insn_class */
	/* it is the stack check's conditional jump, which when taken leads to morestack */
	bool check_jcc;
	/* it is a RET in its shortest form, which only pops the return address */
	bool plain_ret;
};

struct code_tail {
	struct code_point at;
	uint64_t target; /* link-time address jumped to, 0 when indirect */
};

/* The reason why bytes cannot be executed elsewhere. */
enum window_fate {
	WINDOW_OK,
	WINDOW_SHORT,  /* fewer than WINDOW_MIN bytes between here and bytes that must stay */
	WINDOW_TARGET, /* a branch or a jump table goes into them or to the RET */
	WINDOW_FLOW,   /* one of them is a call, branch or trap */
	WINDOW_FAULT,  /* one of them may fault, and the pc of a panic must stay as it is */
	/* one depends on its address or on TLS, or is refused */
	WINDOW_FIXED,
	WINDOW_FATES,
};
#define WINDOW_MIN         5 /* bytes of a jump to a stub */
#define WINDOW_RIP_MAX     4
#define WINDOW_JUMPS_MAX   3
#define WINDOW_COMPARE_MAX 16
#define INLINE_ROOM_MIN    10 /* two such jumps */
#define WINDOW_SHORT_MIN   2  /* bytes of a short jump to padding, where one to a stub finds room */

/*
 * Whole instructions that do the same at any address and are entered only at the first. A jump to a
 * copy of them can replace them.
 */
struct code_window {
	uint32_t off; /* from the function's first byte */
	uint8_t len;  /* 0 when there is none, see fate */
	uint8_t fate; /* enum window_fate */
	/* Bytes from the stack pointer up to the return address, before the first */
	uint16_t to_frame_bytes;
	uint16_t to_frame_after_bytes; /* and such bytes after the last of them */
	/* Windows for inline stubs only: */
	bool faults; /* an instruction of them may fault */
	/* one reads flags, or a register that recording changes, so the record comes after them */
	bool reads;
	/* the last one is a call, whose return address the stub has to push by hand */
	bool has_call;
	/* Offsets, from the function's first byte, of distances of 4 bytes. */
	uint32_t relative_offs[WINDOW_RIP_MAX];
	uint8_t n_relative_offs;
	/* Offsets of jumps among them that stay in the function. They have two, five or six bytes.
	 * An unconditional one is the last. With jumps, nothing in the window changes the stack
	 * pointer, and has_call is false. */
	uint32_t jump_offs[WINDOW_JUMPS_MAX];
	uint8_t n_jump_offs;
	/* Length of the instruction right before them, when flags are live there. It has set the
	 * flags from values that recording keeps, and does nothing else. 0 when no flags are
	 * live. */
	uint8_t compare_len;
	/* For an entry: instructions come before it that may have changed arguments. */
	bool further;
	/* Some of these may fault, with the stack pointer at the return address. Such a window is
	 * used only when calls that fault are reported. */
	bool past_fault;
};

/* Direct branches to a RET, or to instructions right before it. Those instructions only lead to the
 * RET, cannot fault and need nothing that recording changes. The branches are plain. They have two
 * bytes, or five or six with a distance of four at their end. Every way to the RET is one of them,
 * or leads through the window that ends at their target. */
#define BRANCHES_MAX 6
struct code_branches {
	struct code_branch {
		uint32_t off;
		uint8_t len;
	} at[BRANCHES_MAX];
	uint8_t n;   /* 0 when there are none, or not all can be listed */
	uint32_t to; /* offset of their target */
	/* bytes from the stack pointer up to the return address at the target */
	uint16_t to_frame_bytes;
};

enum code_status {
	CODE_OK,
	CODE_UNDECODABLE, /* outside padding it has an instruction that is not known */
	CODE_NO_BYTES,    /* the file holds no bytes for it, or its size is 0 */
};

/* The end of the search for an emulated instruction, see gocode.entry. */
enum line_end {
	LINE_FOUND,
	LINE_FAULT,  /* an instruction that may fault; a call that panics there has been entered */
	LINE_FLOW,   /* a RET, an indirect jump or call, the end of the function */
	LINE_SP,     /* an instruction changes the stack pointer in a way that is not followed */
	LINE_TARGET, /* a branch goes to it or to an instruction before it */
	LINE_LOOP,   /* a loop comes back to the first instruction */
	LINE_ENDS,
};

struct gocode {
	enum code_status status;
	/* the prologue has a stack check against the user stack's guard, by g in its register */
	bool has_check;
	/* g is in its register at the entry. It is not in ABI0 functions, nor where the code loads
	 * that register, or g from TLS, before using it. */
	bool g_in_register;
	bool loop_at_start;      /* a branch other than morestack's comes back to the first byte */
	struct code_point start; /* the first instruction */
	/* The first emulated instruction on the straight line after the stack check, or without a
	 * check from the start. No branch goes to it or to one before it, and to_frame_bytes is
	 * known. The check's own jcc is used when no later instruction is suitable, and on arm64
	 * always. When has_entry is false, only `start` is left. */
	bool has_entry;
	/* enum line_end; LINE_FOUND unless has_entry is false, or the check's jcc is used because
	 * no later instruction is suitable */
	uint8_t line_end;
	/* The function has no check and no branch. From its start to its first RET are few
	 * instructions, and none may fault. A call always comes to that RET, so one probe on
	 * rets[0] is both entry and exit. */
	bool one_probe_leaf;
	/* A fallback for functions without an entry and without one_probe_leaf: such an instruction
	 * after others that may fault. A probe there misses a call that faults before it. */
	bool has_past_fault_entry;
	struct code_point past_fault_entry;
	struct code_point entry;
	/* A place that each call passes once, with its arguments still in their registers. It is
	 * right after the stack check, on the check's jump, or at the start. Without one,
	 * has_values_entry is false. */
	bool has_values_entry;
	struct code_point values_entry;
	/* The window after the entry point, in a function that has a stack check. len is 0 in
	 * others. */
	struct code_window check_window;
	/* The window after the first instruction of a function that has no emulated one on its
	 * line. The first instruction stays, and cannot fault. */
	struct code_window leaf_window;
	/* From `entry` on (or from `late`, where that is emulated) every path leads to a RET within
	 * few instructions. It has no loop, no call, no jump out of the function, and nothing that
	 * may fault. A call that has come there returns in nanoseconds, so one probe there is
	 * enough for entry and exits. */
	bool brief;
	struct code_point *rets;
	size_t n_rets;
	struct code_window *ret_windows; /* the window right before each RET; the RET stays */
	/* Such windows for inline stubs, which may displace more (gocode_ctx_inline). They are
	 * after the entry and before each RET, from WINDOW_SHORT_MIN bytes on. */
	struct code_window inline_entry;
	struct code_window *inline_rets; /* NULL when not asked for */
	/* The branches to each RET. When there are some, only calls that do not come by them pass
	 * its window in inline_rets. The window has len 0 when there are no such calls. */
	struct code_branches *inline_branches;
	/* Rooms, for windows shorter than WINDOW_MIN. A room is other code that works at any
	 * address and is entered only at its first byte. It has INLINE_ROOM_MIN bytes or more, and
	 * rooms do not overlap. Moving it to a stub leaves room for a jump to that stub and for
	 * others. The code that runs least comes first. */
	struct code_window *inline_rooms;
	size_t n_inline_rooms;
	/* The last RET is one byte. After it the function has nothing, or padding that no branch
	 * goes to. */
	bool ends_in_ret;
	/* jumps out of the function, morestack's excluded */
	struct code_tail *tails;
	size_t n_tails;
	/* calls of runtime.morestack* */
	struct code_point *morestack;
	size_t n_morestack;
};

struct gocode_ctx; /* a decoder, and the branch targets of the binary's jump tables */

/* Returns NULL with errno ENOMEM, or ENOTSUP when the decoder cannot be had. Borrows b. */
struct gocode_ctx *gocode_ctx_new(const struct gobin *b);
/* Makes later calls look for windows of inline stubs as well. */
void gocode_ctx_inline(struct gocode_ctx *c);
/* Makes a context for another thread, which shares the tables that c has read. c must outlive it.
 * Returns NULL with errno on an error. Logs nothing. */
struct gocode_ctx *gocode_ctx_clone(const struct gocode_ctx *c);
void gocode_ctx_free(struct gocode_ctx *c);

/* Decodes f. Returns 0 (also for the statuses above) or -ENOMEM. The caller frees *out with
 * gocode_free. */
int gocode_analyze(struct gocode_ctx *c, const struct gofunc *f, struct gocode *out);
void gocode_free(struct gocode *code);

/* Finds the instructions of f that call or jump to link-time address `target` directly. The caller
 * frees *points. Returns 0, -ENOMEM, or -EILSEQ when f cannot be decoded. */
int gocode_calls(struct gocode_ctx *c, const struct gofunc *f, uint64_t target,
		 struct code_point **points, size_t *n);

/* Finds a point for each RET of f at which a probe sees f return. It is the last instruction before
 * the RET that the kernel emulates, under two conditions. Every call that comes to that RET passes
 * it once, with its first result already in its register. No other call comes to it. Without such
 * an instruction, or where the kernel emulates the RET, the point is the RET itself. The caller
 * frees *points. Returns 0, -ENOMEM, or -EILSEQ when f cannot be decoded. */
int gocode_returns(struct gocode_ctx *c, const struct gofunc *f, struct code_point **points,
		   size_t *n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a function can be probed, from its machine code. */
#ifndef GOTRACE_GOCODE_H
#define GOTRACE_GOCODE_H

#include "binary/gobin.h"

/* How an x86 uprobe executes a probed instruction (arch/x86/kernel/uprobes.c). */
enum insn_class {
	INSN_STEP, /* copied out of line and single-stepped: a second trap */
	/* nop 0x90, jmp, jcc, call rel32, push reg: emulated from v3.16 / v4.16 on */
	INSN_EMULATED,
	INSN_REFUSED, /* is_prefix_bad(): lock and segment prefixes; or an invalid instruction */
};

/* An instruction that a probe can be put on. */
struct code_point {
	uint32_t off;             /* from the function's first byte */
	uint16_t rsp_to_ra_bytes; /* bytes from rsp up to the return address */
	uint8_t len;              /* of the instruction */
	uint8_t class;            /* enum insn_class */
	bool check_jcc; /* it is the stack check's conditional jump: taken means morestack */
	/* it is the one-byte near RET, c3: pops the return address, nothing else */
	bool plain_ret;
};

struct code_tail {
	struct code_point at;
	uint64_t target; /* link-time address jumped to, 0 when indirect */
};

/* Why bytes cannot be executed elsewhere. */
enum window_fate {
	WINDOW_OK,
	WINDOW_SHORT,  /* fewer than WINDOW_MIN bytes between here and what must stay */
	WINDOW_TARGET, /* a branch or a jump table goes into them or to the RET */
	WINDOW_FLOW,   /* a call, branch or trap among them */
	WINDOW_FAULT,  /* one of them may fault: the pc of a panic is to stay as it is */
	/* one depends on its address: RIP-relative, TLS, a lock prefix */
	WINDOW_FIXED,
	WINDOW_FATES,
};
#define WINDOW_MIN         5 /* bytes of a jmp rel32 */
#define WINDOW_RIP_MAX     4
#define WINDOW_JUMPS_MAX   3
#define WINDOW_COMPARE_MAX 16
#define INLINE_ROOM_MIN    10 /* two such jumps */
#define WINDOW_SHORT_MIN   2  /* of a jmp rel8, to padding where a jmp rel32 finds room */

/*
 * Whole instructions that do the same at any address and that are entered only at the first: a jump
 * to a copy of them can replace them.
 */
struct code_window {
	uint32_t off;             /* from the function's first byte */
	uint8_t len;              /* 0: there is none, see fate */
	uint8_t fate;             /* enum window_fate */
	uint16_t rsp_to_ra_bytes; /* bytes from rsp up to the return address before the first, */
	uint16_t rsp_to_ra_after_bytes; /* and after the last of them */
	/* Windows for inline stubs only: */
	bool faults; /* an instruction of them may fault */
	bool reads;  /* one reads a register that recording changes, or flags: record after them */
	bool has_call; /* the last one is a call: its return address is to be pushed by hand */
	/* From the function's first byte: displacements of 4 bytes, relative to rip. */
	uint32_t rip_offs[WINDOW_RIP_MAX];
	uint8_t n_rip_offs;
	/* Jumps among them that stay in the function, of two, five or six bytes; an unconditional
	 * one is the last. Where there are some, nothing of the window changes rsp and has_call is
	 * false. */
	uint32_t jump_offs[WINDOW_JUMPS_MAX];
	uint8_t n_jump_offs;
	/* Flags are live before the first of them. The instruction right before has set them from
	 * what recording keeps, and does nothing else: its length. 0: no flags are live */
	uint8_t compare_len;
	/* Of an entry: instructions come before it which may have changed arguments. */
	bool further;
	/* And some of these may fault, with rsp at the return address. Only where calls that do are
	 * told of. */
	bool past_fault;
};

/* Direct branches to a RET, or to instructions right before it that only go on to it, cannot fault
 * and need nothing that recording changes. Plain ones: two bytes, or five or six with a distance of
 * four at their end. Every way to the RET is one of them, or leads through the window that ends
 * where they go. */
#define BRANCHES_MAX 6
struct code_branches {
	struct code_branch {
		uint32_t off;
		uint8_t len;
	} at[BRANCHES_MAX];
	uint8_t n;                /* 0: none go there, or not all can be listed */
	uint32_t to;              /* where they go */
	uint16_t rsp_to_ra_bytes; /* there */
};

enum code_status {
	CODE_OK,
	CODE_UNDECODABLE, /* an instruction that capstone does not know, outside padding */
	CODE_NO_BYTES,    /* the file holds no bytes for it, or its size is 0 */
};

/* What ended the search for an emulated instruction, see gocode.entry. */
enum line_end {
	LINE_FOUND,
	LINE_FAULT,  /* an instruction that may fault: a call that panics there has been entered */
	LINE_FLOW,   /* a RET, an indirect jump or call, the end of the function */
	LINE_SP,     /* rsp is changed in a way that is not followed */
	LINE_TARGET, /* a branch goes to it or to an instruction before it */
	LINE_LOOP,   /* a loop comes back to the first instruction */
	LINE_ENDS,
};

struct gocode {
	enum code_status status;
	/* the prologue has a stack check against 0x10(%r14) (user stack) */
	bool has_check;
	/* R14 is g at the entry: it is not in ABI0 functions and where the code loads R14 or g from
	 * TLS before using it */
	bool g_in_r14;
	bool loop_at_start;      /* a branch other than morestack's comes back to the first byte */
	struct code_point start; /* the first instruction */
	/* The first emulated instruction on the straight line after the stack check (or from the
	 * start when there is none): no branch target before it or at it, rsp_to_ra_bytes known.
	 * The check's own jcc is used when no later instruction is suitable. has_entry false: only
	 * `start` is left. */
	bool has_entry;
	/* enum line_end; LINE_FOUND unless has_entry is false or the check's jcc is used */
	uint8_t line_end;
	/* No check, no branch, nothing that may fault and few instructions from the start to the
	 * first RET: a call always comes to that RET, so that one probe on rets[0] is both entry
	 * and exit. */
	bool one_probe_leaf;
	/* A fallback, looked for only when the function has neither an entry nor one_probe_leaf:
	 * the same after instructions that may fault. A call that faults before it is not seen by
	 * such a probe. */
	bool has_past_fault_entry;
	struct code_point past_fault_entry;
	struct code_point entry;
	/* Where each call passes once, with its arguments still in their registers: right after the
	 * stack check, on the check's jump, or at the start. has_values_entry false: nowhere. */
	bool has_values_entry;
	struct code_point values_entry;
	/* After the entry point, in a function that has a stack check: len 0 elsewhere. */
	struct code_window check_window;
	/* After the first instruction of a function that has no emulated one on its line; that one
	 * stays, and cannot fault. */
	struct code_window leaf_window;
	/* From `entry` on (or `late`, where that is emulated) every path leads to a RET within few
	 * instructions: no loop, no call, no jump out of the function, nothing that may fault. A
	 * call that has come there returns in nanoseconds, so one probe there is enough for entry
	 * and exits. */
	bool brief;
	struct code_point *rets;
	size_t n_rets;
	struct code_window *ret_windows; /* right before each RET, which stays */
	/* The same for inline stubs, which may displace more (gocode_ctx_inline): after the entry,
	 * and before each RET; from WINDOW_SHORT_MIN bytes on. */
	struct code_window inline_entry;
	struct code_window *inline_rets; /* NULL when not asked for */
	/* To each RET. Where there are some, its window in inline_rets is passed only by who does
	 * not come by them, and has len 0 where nobody does. */
	struct code_branches *inline_branches;
	/* Where a window is shorter than WINDOW_MIN: other code that works at any address and is
	 * entered only at its first byte, INLINE_ROOM_MIN bytes and more, none of which overlap.
	 * Moving it to a stub leaves room for a jump to that stub and for others. The code that
	 * runs least comes first. */
	struct code_window *inline_rooms;
	size_t n_inline_rooms;
	/* The last RET is one byte, after which the function has nothing, or int3 that nothing goes
	 * to. */
	bool ends_in_ret;
	/* jumps out of the function, morestack's excluded */
	struct code_tail *tails;
	size_t n_tails;
	/* calls of runtime.morestack* */
	struct code_point *morestack;
	size_t n_morestack;
};

struct gocode_ctx; /* one capstone handle and the branch targets of the binary's jump tables */

/* NULL and errno (ENOMEM, ENOTSUP when capstone has no x86). Borrows b. */
struct gocode_ctx *gocode_ctx_new(const struct gobin *b);
/* From now on windows for inline stubs are looked for as well. */
void gocode_ctx_inline(struct gocode_ctx *c);
/* Another one for another thread, which shares what was read; c must outlive it. NULL and errno.
 * Logs nothing. */
struct gocode_ctx *gocode_ctx_clone(const struct gocode_ctx *c);
void gocode_ctx_free(struct gocode_ctx *c);

/* Decodes f. 0 (also for the statuses above) or -ENOMEM. Free with gocode_free. */
int gocode_analyze(struct gocode_ctx *c, const struct gofunc *f, struct gocode *out);
void gocode_free(struct gocode *code);

/* The instructions of f that call or jump to link-time address `target` directly.
 * *points is allocated, for the caller to free. 0, -ENOMEM, or -EILSEQ when f
 * cannot be decoded. */
int gocode_calls(struct gocode_ctx *c, const struct gofunc *f, uint64_t target,
		 struct code_point **points, size_t *n);

/* Where f can be seen to return, a point for each RET: the last instruction before it that the
 * kernel emulates, if every call that comes to that RET passes it once, with its first result in
 * RAX already, and none comes to it for anything else; the RET itself where there is none. *points
 * is allocated, for the caller to free. 0, -ENOMEM, or -EILSEQ when f cannot be decoded. */
int gocode_returns(struct gocode_ctx *c, const struct gofunc *f, struct code_point **points,
		   size_t *n);

#endif

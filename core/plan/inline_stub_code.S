/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of what an inline stub does (inline_stub.h has the protocol). Copied by inline_stub.c,
 * which fills in the four bytes that each `patch` names; never executed here.
 *
 * Registers. r14 is g. Free at the entry of a Go function and at its return are r12 and r13, r15 in
 * a program that is not built for dynamic linking, and the flags; rdx at a return only (Go's
 * cmd/compile/abi-internal.md). There is no stack: nothing below rsp may be written.
 *	r13  the program's rax, from the first instruction to `done`
 *	r15  its rdx, likewise, at an entry
 *	r12  g.m, then m.p, then p.id; from the label `ring` on the ring
 *	rax, rdx  whatever is computed
 * A signal handler restores from these when it comes between: regions in inline_hook.c.
 */
#include "plan/inline_asm.h"
#include "plan/ring.h"

#define RUNNING 2 /* _Grunning: not on g0, not in a system call, no stack scan begun */
#define ANY     0x11111111

	.section .rodata

/* The four bytes that end `behind` bytes before this point. */
	.macro	patch what, behind=0
77:
	.pushsection .rodata.inline_patches, "a"
	.short	77b - inline_code - 4 - \behind
	.short	\what
	.popsection
	.endm

/* Jumps whose target is another part of the stub: always with a distance of four bytes. */
	.macro	jump_if cc, what
	.byte	0x0f, \cc
	.long	ANY
	patch	\what
	.endm
	.macro	jump what
	.byte	0xe9
	.long	ANY
	patch	\what
	.endm
#define ABOVE_EQUAL 0x83
#define EQUAL       0x84
#define NOT_EQUAL   0x85
#define ABOVE       0x87
#define NEGATIVE    0x88

	.macro	label name
	.globl	\name
	.hidden	\name
\name:
	.endm

/* rax = the time stamp counter. */
	.macro	clock
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	.endm

	.macro	record name, entry
	label	\name
	mov	%rax, %r13
	.if	\entry
	mov	%rdx, %r15
	.endif
	label	\name\()_saved
	mov	ANY(%r14), %r12
	patch	PATCH_G_M
	cmpl	$RUNNING, ANY(%r14)
	patch	PATCH_G_STATUS, 1
	jump_if	NOT_EQUAL, PATCH_SLOW
	mov	ANY(%r12), %r12
	patch	PATCH_M_P
	test	%r12, %r12
	jump_if	EQUAL, PATCH_SLOW
	mov	(%r12), %r12d			/* p.id */
	cmp	$RING_MAX, %r12d
	jump_if	ABOVE_EQUAL, PATCH_SLOW
	lea	ANY(%rip), %rax
	patch	PATCH_TABLE
	mov	(%rax,%r12,8), %r12
	test	%r12, %r12
	jump_if	EQUAL, PATCH_SLOW
	label	\name\()_ring
	mov	HEAD(%r12), %rax
	mov	%rax, %rdx
	sub	TAIL(%r12), %rdx
	cmp	$ANY, %rdx
	patch	PATCH_FILL
	jump_if	ABOVE, PATCH_FULL		/* rdx = bytes not read yet */
	add	$RING_SLOT, %rax
	mov	%rax, RESERVED(%r12)
	/* Whose is it? */
	mov	ANY(%r14), %rax
	patch	PATCH_G_GOID
	cmp	LAST_GOID(%r12), %rax
	jump_if	NOT_EQUAL, PATCH_CONTEXT	/* rax = goid */
	mov	ANY(%r14), %rdx
	patch	PATCH_G_M
	mov	ANY(%rdx), %rdx
	patch	PATCH_M_PROCID
	cmp	LAST_PROCID(%r12), %rdx
	jump_if	NOT_EQUAL, PATCH_CONTEXT
	label	\name\()_write
	clock
	mov	RESERVED(%r12), %edx
	sub	$RING_SLOT, %edx
	and	$ANY, %edx
	patch	PATCH_MASK
	mov	%rax, RING_DATA + SLOT_CLOCK(%r12,%rdx)
	mov	G_STACK_HI(%r14), %eax
	sub	%esp, %eax
	mov	%eax, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	mov	RESERVED(%r12), %rdx
	mov	%rdx, HEAD(%r12)
	label	\name\()_done			/* published, or counted as dropped */
	mov	%r13, %rax
	.if	\entry
	mov	%r15, %rdx
	.endif
	label	\name\()_end
	.endm

	.pushsection .rodata.inline_patches, "a"
	label	inline_patches
	.popsection
	label	inline_code
	record	inline_entry, 1
	record	inline_exit, 0

/* Another goroutine or thread than that of the last event: a context slot first. rax = goid. */
	label	inline_context
	mov	HEAD(%r12), %edx
	and	$ANY, %edx
	patch	PATCH_MASK
	lea	RING_DATA(%r12,%rdx), %rdx
	mov	%rax, SLOT_CLOCK(%rdx)
	mov	%rax, LAST_GOID(%r12)
	mov	ANY(%r14), %rax
	patch	PATCH_G_M
	mov	ANY(%rax), %rax
	patch	PATCH_M_PROCID
	mov	%rax, LAST_PROCID(%r12)
	mov	%eax, SLOT_DEPTH(%rdx)
	movl	$-1, SLOT_SITE(%rdx)		/* RING_CONTEXT */
	addq	$RING_SLOT, RESERVED(%r12)
	jump	PATCH_WRITE
	label	inline_context_end

/* The ring is full, and events are to be dropped then. rdx = bytes not read; that of a disabled
 * ring has the highest bit. */
	label	inline_drop
	test	%rdx, %rdx
	jump_if	NEGATIVE, PATCH_SLOW
	clock
	mov	DROPPED(%r12), %rdx
	cmp	DROPPED_SEEN(%r12), %rdx
	mov	ANY(%r14), %rdx
	patch	PATCH_G_GOID
	je	1f
	cmp	DROPPED_GOID(%r12), %rdx
	je	2f
	movq	$-1, DROPPED_GOID(%r12)		/* RING_MANY_GOIDS */
	jmp	2f
1:	mov	%rax, DROPPED_FIRST(%r12)	/* the first that the collector has not seen */
	mov	%rdx, DROPPED_GOID(%r12)
2:	mov	%rax, DROPPED_LAST(%r12)
	incq	DROPPED(%r12)
	label	inline_drop_counted
	jump	PATCH_DONE
	label	inline_drop_end

	.pushsection .rodata.inline_patches, "a"
	label	inline_patches_end
	.popsection
	.section .note.GNU-stack, "", @progbits

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

#define ANY     0x11111111

	.section .rodata

#include "plan/inline_stub_macros.inc"

	.macro	record name, entry, state
	label	\name
	mov	%rax, %r13
	.if	\entry
	mov	%rdx, %r15
	.endif
	label	\name\()_saved
	mov	ANY(%r14), %r12
	patch	PATCH_G_M
	cmpl	$INLINE_RECORDS, ANY(%r14)
	patch	PATCH_G_STATUS, 1
	label	\name\()_switch			/* right after that constant */
	jump_if	NOT_EQUAL, PATCH_SLOW
	find_ring
	label	\name\()_ring
	reserve
	/* Whose is it? */
	mov	ANY(%r14), %rax
	patch	PATCH_G_GOID
	same_goroutine
	label	\name\()_write
	stamp
	.if	\state
	mov	$ANY, %eax
	patch	PATCH_STATE
	.else
	mov	G_STACK_HI(%r14), %eax
	sub	%esp, %eax
	.endif
	mov	%eax, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	publish
	label	\name\()_done			/* published, or counted as dropped */
	mov	%r13, %rax
	.if	\entry
	mov	%r15, %rdx
	.endif
	label	\name\()_end
	.endm

	.pushsection .rodata.inline_patches, "a"
	.balign	2
	label	inline_patches
	.popsection
	label	inline_code
	record	inline_entry, 1, 0
	record	inline_exit, 0, 0
	record	inline_state_entry, 1, 1
	record	inline_state_exit, 0, 1

/*
 * At the entry of runtime.casgstatus(gp, old, new), which is called on goroutines and on g0: rax = gp,
 * ebx and ecx statuses. What is recorded is gp's, but for a wake, which is the current goroutine's.
 */
	label	inline_status
	mov	%rax, %r13
	mov	%rdx, %r15
	label	inline_status_saved
	lea	-G_RUNNABLE(%rbx), %eax
	cmp	$(G_WAITING - G_RUNNABLE), %eax
	jump_if	ABOVE, PATCH_DONE		/* made, ended, its stack copied */
	lea	-G_RUNNABLE(%rcx), %eax
	cmp	$(G_WAITING - G_RUNNABLE), %eax
	jump_if	ABOVE, PATCH_DONE
	own_p
	find_ring
	label	inline_status_ring
	reserve
	cmp	$G_WAITING, %ebx
	jne	3f
	cmp	$G_RUNNABLE, %ecx
	jne	3f
	goid_of_curg
	jmp	4f
3:	mov	ANY(%r13), %rax
	patch	PATCH_G_GOID
4:	same_goroutine
	label	inline_status_write
	stamp
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	cmp	$G_WAITING, %ebx
	jne	5f
	cmp	$G_RUNNABLE, %ecx
	jne	5f
	orl	$RING_WAKE, RING_DATA + SLOT_SITE(%r12,%rdx)
	mov	ANY(%r13), %eax
	patch	PATCH_G_GOID
	jmp	7f
5:	lea	-1(%rcx), %eax			/* STATE_*: 2 1 4 3 for 1 2 3 4 */
	xor	$1, %eax
	inc	%eax
	cmp	$G_WAITING, %ecx
	jne	7f
	movzbl	ANY(%r13), %eax
	patch	PATCH_G_REASON
	shl	$8, %eax
	or	$STATE_WAITING, %eax
7:	mov	%eax, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	publish
	label	inline_status_done
	mov	%r13, %rax
	mov	%r15, %rdx
	label	inline_status_end

/* At the entry of runtime.gdestroy(gp): rax = gp, on g0. */
	label	inline_ended
	mov	%rax, %r13
	mov	%rdx, %r15
	label	inline_ended_saved
	mov	ANY(%r13), %rax
	patch	PATCH_G_GOID
	test	%rax, %rax
	jump_if	EQUAL, PATCH_DONE
	own_p
	find_ring
	label	inline_ended_ring
	reserve
	mov	ANY(%r13), %rax
	patch	PATCH_G_GOID
	same_goroutine
	label	inline_ended_write
	stamp
	movl	$0, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	publish
	label	inline_ended_done
	mov	%r13, %rax
	mov	%r15, %rdx
	label	inline_ended_end

/* At the return of runtime.newproc1: rax = newg, on g0, which works for the creator. The start code
 * makes goroutine 1 before it is known that there is a new image. */
	label	inline_create
	mov	%rax, %r13
	label	inline_create_saved
	cmpq	$1, ANY(%r13)
	patch	PATCH_G_GOID, 1
	jump_if	BELOW_EQUAL, PATCH_DONE
	mov	ANY(%r13), %eax
	patch	PATCH_G_STATUS
	cmp	$G_WAITING, %al			/* a coroutine's: there is more to tell of it */
	jump_if	EQUAL, PATCH_SLOW
	own_p
	find_ring
	label	inline_create_ring
	reserve	3
	goid_of_curg
	same_goroutine
	label	inline_create_write
	mov	ANY(%r13), %rax
	patch	PATCH_G_GOID
	argument 0, 3
	mov	ANY(%r13), %rax
	patch	PATCH_G_GOPC
	argument_pc 1, 3
	mov	ANY(%r13), %rax
	patch	PATCH_G_STARTPC
	argument_pc 2, 3
	stamp
	movl	$0, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	publish
	label	inline_create_done
	mov	%r13, %rax
	label	inline_create_end

/* At the entry of runtime.newstack(), on g0: a prologue's stack check has failed, of m.curg. The
 * return address there is right below m.morebuf.sp. */
	label	inline_stopped
	mov	%rax, %r13
	mov	%rdx, %r15
	label	inline_stopped_saved
	own_p
	mov	ANY(%r12), %rax
	patch	PATCH_M_CURG
	test	%rax, %rax
	jump_if	EQUAL, PATCH_SLOW
	mov	G_STACK_HI(%rax), %rdx
	cmp	ANY(%r12), %rdx
	patch	PATCH_MOREBUF
	jump_if	CARRY, PATCH_SLOW
	mov	ANY(%rax), %rax
	patch	PATCH_G_GOID
	test	%rax, %rax
	jump_if	EQUAL, PATCH_SLOW
	find_ring
	label	inline_stopped_ring
	reserve	1
	goid_of_curg
	same_goroutine
	label	inline_stopped_write
	mov	ANY(%r14), %rax
	patch	PATCH_G_M
	mov	ANY(%rax), %rax
	patch	PATCH_M_CURG
	mov	ANY(%rax), %rax
	patch	PATCH_SCHED_PC
	argument_pc 0, 1
	stamp
	mov	ANY(%r14), %rax
	patch	PATCH_G_M
	mov	ANY(%rax), %eax
	patch	PATCH_MOREBUF
	neg	%eax
	mov	%eax, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	mov	ANY(%r14), %rax
	patch	PATCH_G_M
	mov	ANY(%rax), %rax
	patch	PATCH_M_CURG
	mov	G_STACK_HI(%rax), %eax
	add	$8, %eax
	add	%eax, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	publish
	label	inline_stopped_done
	mov	%r13, %rax
	mov	%r15, %rdx
	label	inline_stopped_end

/* At the entry of runtime.copystack(gp, newsize), on g0: rax = gp, rbx = newsize. It shrinks stacks,
 * too. */
	label	inline_grown
	mov	%rax, %r13
	mov	%rdx, %r15
	label	inline_grown_saved
	mov	G_STACK_HI(%r13), %rax
	sub	G_STACK_LO(%r13), %rax
	cmp	%rax, %rbx
	jump_if	BELOW_EQUAL, PATCH_DONE
	mov	ANY(%r13), %rax
	patch	PATCH_G_GOID
	test	%rax, %rax
	jump_if	EQUAL, PATCH_SLOW
	own_p
	find_ring
	label	inline_grown_ring
	reserve	2
	mov	ANY(%r13), %rax
	patch	PATCH_G_GOID
	same_goroutine
	label	inline_grown_write
	mov	G_STACK_HI(%r13), %rax
	sub	G_STACK_LO(%r13), %rax
	argument 0, 2
	mov	%rbx, %rax
	argument 1, 2
	stamp
	movl	$0, RING_DATA + SLOT_DEPTH(%r12,%rdx)
	movl	$ANY, RING_DATA + SLOT_SITE(%r12,%rdx)
	patch	PATCH_SLOT_SITE
	publish
	label	inline_grown_done
	mov	%r13, %rax
	mov	%r15, %rdx
	label	inline_grown_end

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

/* The ring is full, or what its tail says that stubs are to do: nothing, when recording is off.
 * rdx = bytes not read; only that of a ring which is off has bit RING_PAUSED_BIT. */
	label	inline_off
	bt	$RING_PAUSED_BIT, %rdx
	jump_if	CARRY, PATCH_DONE
	label	inline_off_else
	jump	PATCH_SLOW			/* with --overflow=drop inline_drop instead */
	label	inline_off_end

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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hook: runs in place of the second instruction of runtime.sigtramp. A signal that came while
 * pc was in a stub is shown to Go as if pc were in the text (inline_hook.h). Copied by
 * inline_hook.c, which fills in what each `patch` names; never executed here.
 *
 * On entry: edi signal, rsi siginfo, rdx ucontext; rsp is SIGTRAMP_FRAME below the return address,
 * that of sigtramp's caller: the kernel's restorer, or a C handler that passes the signal on. Free:
 * rax, rcx, r8 to r11, the flags. It calls nothing but the rest of sigtramp, so a second signal may
 * come at any place.
 *	rax  pc, from the first byte of all stubs; then from the first of its stub
 *	rcx  scratch
 *	r8   the region of the stub that pc is in
 *	r9   where the stub's window is in the text; then where the thread goes on
 *	r10  the stub's first byte
 *	r11  all stubs' first byte; then the pc that is shown
 */
#include "plan/inline_asm.h"
#include "plan/ring.h"

#define ANY    0x11111111
#define SIGBUS  7
#define SIGSEGV 11
#define SIGURG  23
#define SI_CODE 8 /* in siginfo */
/* in ucontext */
#define UC_R12 72
#define UC_R13 80
#define UC_R15 96
#define UC_RDX 136
#define UC_RAX 144
#define UC_RIP 168
/* struct meta of inline_hook.c */
#define META_START  0
#define META_WINDOW 4
#define META_SHAPE  8
/* struct shape, and after it a struct region */
#define SHAPE_SLOW    0
#define SHAPE_REGIONS 2
#define REGION_END    0
#define REGION_UNDO   2
#define REGION_RESUME 3
#define REGION_AT     4
#define REGION_SHOWN  6
#define REGION_SHOW   8
/* struct ring_signals */
#define IN_STUBS    0
#define ROLLED_BACK 8
#define SHOWN       16
#define FAULTS      24

	.section .rodata

	.macro	patch what
77:
	.pushsection .rodata.hook_patches, "a"
	.short	77b - inline_hook_code - 4
	.short	\what
	.popsection
	.endm

	.macro	address what, reg
	lea	ANY(%rip), \reg
	patch	\what
	.endm

	.macro	count which
	address	HOOK_SIGNALS, %rcx
	lock incq \which(%rcx)
	.endm

	.macro	label name
	.globl	\name
	.hidden	\name
\name:
	.endm

/* r10 = struct meta of the stub that pc, rax, is in; goes to `pass` where there is none. */
	.macro	find_meta
	mov	%eax, %ecx
	shr	$GRANULE_BITS, %ecx
	address	HOOK_GRANULES, %r10
	mov	(%r10,%rcx,4), %ecx
	test	%ecx, %ecx
	jz	pass
	lea	(%rcx,%rcx,2), %rcx
	address	HOOK_METAS, %r10
	lea	-12(%r10,%rcx,4), %r10		/* number 1 is the first */
	.endm

	.pushsection .rodata.hook_patches, "a"
	.balign	2
	label	inline_hook_patches
	.popsection

	label	inline_hook_code
	mov	UC_RIP(%rdx), %rax
	address	HOOK_STUBS, %r11
	sub	%r11, %rax
	cmp	$ANY, %rax
	patch	HOOK_STUBS_BYTES
	jb	in_stubs

	/* On a jump to a stub, in padding or at a window? That is as good as at its first byte. */
	address	HOOK_TEXT, %rcx
	mov	UC_RIP(%rdx), %r8
	sub	%rcx, %r8
	cmp	$ANY, %r8
	patch	HOOK_TEXT_BYTES
	jae	pass
	cmpb	$0xe9, (%rcx,%r8)
	jne	pass
	movslq	1(%rcx,%r8), %r9
	lea	5(%rax,%r9), %rax
	cmp	$ANY, %rax
	patch	HOOK_STUBS_BYTES
	jae	pass
	find_meta
	cmp	META_START(%r10), %eax
	jne	pass
	lea	(%r11,%rax), %rcx
	mov	%rcx, UC_RIP(%rdx)
	jmp	found

in_stubs:
	find_meta
found:	movslq	META_WINDOW(%r10), %r9
	add	%r11, %r9
	mov	META_SHAPE(%r10), %ecx
	address	HOOK_SHAPES, %r8
	add	%rcx, %r8
	mov	META_START(%r10), %r10d
	sub	%r10d, %eax
	add	%r11, %r10
	mov	%r8, %r11			/* the shape, until pc's region is found */
	add	$SHAPE_REGIONS, %r8
1:	cmp	REGION_END(%r8), %ax
	jb	2f
	add	$REGION_BYTES, %r8
	jmp	1b
2:	cmpb	$RESUME_NONE, REGION_RESUME(%r8)
	je	pass

	/* Registers as the program knows them. */
	testb	$UNDO_RAX, REGION_UNDO(%r8)
	jz	1f
	mov	UC_R13(%rdx), %rcx
	mov	%rcx, UC_RAX(%rdx)
1:	testb	$UNDO_RDX, REGION_UNDO(%r8)
	jz	1f
	mov	UC_R15(%rdx), %rcx
	mov	%rcx, UC_RDX(%rdx)
1:	testb	$UNDO_OURS, REGION_UNDO(%r8)
	jz	1f
	cmp	$SIGSEGV, %edi
	je	2f
	cmp	$SIGBUS, %edi
	jne	1f
2:	cmpl	$0, SI_CODE(%rsi)		/* the kernel's are above 0 */
	jg	record_faulted
1:	count	IN_STUBS
	testb	$UNDO_RING, REGION_UNDO(%r8)
	jz	1f
	push	%rax
	mov	UC_R12(%rdx), %rcx
	mov	HEAD(%rcx), %rax
	mov	%rax, RESERVED(%rcx)
	movq	$0, LAST_GOID(%rcx)
	pop	%rax
	count	ROLLED_BACK
1:
	/* r11 = the pc that is shown */
	cmpb	$SHOW_TARGET, REGION_SHOW(%r8)
	je	1f
	movswq	REGION_SHOWN(%r8), %r11
	add	%r9, %r11
	cmpb	$SHOW_MOVING, REGION_SHOW(%r8)
	jne	2f
	add	%rax, %r11
	jmp	2f
1:	mov	UC_RIP(%rdx), %rcx		/* a jmp with a distance of four bytes */
	movslq	1(%rcx), %r11
	lea	5(%rcx,%r11), %r11
2:
	/* r9 = where the thread goes on */
	mov	%r11, %r9
	cmpb	$RESUME_TEXT, REGION_RESUME(%r8)
	je	leave
	mov	UC_RIP(%rdx), %r9
	cmpb	$RESUME_HERE, REGION_RESUME(%r8)
	je	1f
	movzwl	REGION_AT(%r8), %r9d
	add	%r10, %r9
1:
	/* A goroutine is not taken off its thread at a pc that Go does not know; it tries again. */
	cmp	$SIGURG, %edi
	je	leave

	/* The handler sees the text. When it does not move pc, the thread goes on in the stub. */
	count	SHOWN
	mov	%r11, UC_RIP(%rdx)
	add	$SIGTRAMP_FRAME, %rsp
	push	%rdx
	push	%r11
	push	%r9
	call	first_instruction
	pop	%r9
	pop	%r11
	pop	%rdx
	cmp	%r11, UC_RIP(%rdx)
	jne	1f
	mov	%r9, UC_RIP(%rdx)
1:	ret

	/* A ring's page is gone, or the time stamp counter is not to be read. Go must not hear of it:
	 * no ring is used any more, and the thread goes on by the slow path. */
record_faulted:
	movzwl	SHAPE_SLOW(%r11), %eax
	add	%r10, %rax
	mov	%rax, UC_RIP(%rdx)
	address	HOOK_TABLE, %rdi
	mov	$RING_MAX, %ecx
	xor	%eax, %eax
	rep stosq
	count	FAULTS
	add	$SIGTRAMP_FRAME, %rsp
	ret

first_instruction:
	sub	$SIGTRAMP_FRAME, %rsp
	jmp	pass
leave:
	mov	%r9, UC_RIP(%rdx)
pass:
	mov	%rbp, SIGTRAMP_RBP(%rsp)	/* what the jump to here took the place of */
	.byte	0xe9
	.long	ANY
	patch	HOOK_BACK
	label	inline_hook_end

	.pushsection .rodata.hook_patches, "a"
	label	inline_hook_patches_end
	.popsection
	.section .note.GNU-stack, "", @progbits

// SPDX-License-Identifier: BSD-2-Clause
/*
 * What inline stubs cost at the least: a loop that calls a small function, in machine code of its
 * own, as the stubs of core/plan/inline_stub_code.S are, with nobody reading the ring.
 *
 *   stubs KIND CALLS
 *
 * KIND: stub-none (the plain call), stub-empty (entry and exit jump to a stub that has the
 * displaced bytes and jumps back), stub-noclock (both write their slot, with no clock in it),
 * stub-clock (the whole). Prints calls, ns by the clock, ns of processor time.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan/ring.h"

#define SLOTS (1 << 16)

/* What the stubs read of Go's structures. */
uint64_t stubs_g[32], stubs_m[32], stubs_p[1];
uint64_t stubs_table[RING_MAX];
static _Alignas(4096) char ring[RING_DATA + SLOTS * RING_SLOT];

__asm__(".macro	write clock, entry\n"
	"	mov	%rax, %r13\n"
	".if \\entry\n"
	"	mov	%rdx, %r15\n"
	".endif\n"
	"	mov	48(%r14), %r12\n"
	"	cmpl	$2, 144(%r14)\n"
	"	jne	stubs_never\n"
	"	mov	208(%r12), %r12\n"
	"	test	%r12, %r12\n"
	"	je	stubs_never\n"
	"	mov	(%r12), %r12d\n"
	"	cmp	$256, %r12d\n"
	"	jae	stubs_never\n"
	"	lea	stubs_table(%rip), %rax\n"
	"	mov	(%rax,%r12,8), %r12\n"
	"	test	%r12, %r12\n"
	"	je	stubs_never\n"
	"	mov	(%r12), %rax\n"
	"	mov	%rax, %rdx\n"
	"	sub	128(%r12), %rdx\n"
	"	cmp	$0x7fffffff, %rdx\n"
	"	ja	stubs_never\n"
	"	add	$16, %rax\n"
	"	mov	%rax, 8(%r12)\n"
	"	mov	152(%r14), %rax\n"
	"	cmp	16(%r12), %rax\n"
	"	jne	stubs_never\n"
	"	mov	48(%r14), %rdx\n"
	"	mov	72(%rdx), %rdx\n"
	"	cmp	24(%r12), %rdx\n"
	"	jne	stubs_never\n"
	".if \\clock\n"
	"	rdtsc\n"
	"	shl	$32, %rdx\n"
	"	or	%rdx, %rax\n"
	".endif\n"
	"	mov	8(%r12), %edx\n"
	"	sub	$16, %edx\n"
	"	and	$0xfffff, %edx\n"
	"	mov	%rax, 4096(%r12,%rdx)\n"
	"	mov	8(%r14), %eax\n"
	"	sub	%esp, %eax\n"
	"	mov	%eax, 4104(%r12,%rdx)\n"
	"	movl	$7, 4108(%r12,%rdx)\n"
	"	mov	8(%r12), %rdx\n"
	"	mov	%rdx, (%r12)\n"
	"	mov	%r13, %rax\n"
	".if \\entry\n"
	"	mov	%r15, %rdx\n"
	".endif\n"
	".endm\n"
	/* A call of the function, its windows given over to stubs. */
	".macro	traced name, record, clock\n"
	"	.p2align 6\n"
	"\\name:\n"
	"	push	%rbp\n"
	"	mov	%rsp, %rbp\n"
	"	jmp	1f\n"
	"2:	mov	%rdi, (%rsp)\n"
	"	mov	(%rsp), %rax\n"
	"	jmp	3f\n"
	"	.p2align 12\n"
	"1:\n"
	".if \\record\n"
	"	write	\\clock, 1\n"
	".endif\n"
	"	sub	$64, %rsp\n"
	"	jmp	2b\n"
	"	.p2align 5\n"
	"3:\n"
	"	add	$64, %rsp\n"
	"	pop	%rbp\n"
	".if \\record\n"
	"	write	\\clock, 0\n"
	".endif\n"
	"	ret\n"
	".endm\n"
	"	.p2align 6\n"
	"stubs_none:\n"
	"	push	%rbp\n"
	"	mov	%rsp, %rbp\n"
	"	sub	$64, %rsp\n"
	"	mov	%rdi, (%rsp)\n"
	"	mov	(%rsp), %rax\n"
	"	add	$64, %rsp\n"
	"	pop	%rbp\n"
	"	ret\n"
	"	traced	stubs_empty, 0, 0\n"
	"	traced	stubs_noclock, 1, 0\n"
	"	traced	stubs_clock, 1, 1\n"
	"stubs_never:\n"
	"	ud2\n");
void stubs_none(void), stubs_empty(void), stubs_noclock(void), stubs_clock(void);

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void call(void (*function)(void), uint64_t calls)
{
	__asm__ volatile("	mov	%[g], %%r14\n"
			 "1:	mov	%[calls], %%rdi\n"
			 "	call	*%[function]\n"
			 "	dec	%[calls]\n"
			 "	jne	1b\n"
			 : [calls] "+b"(calls)
			 : [g] "r"(stubs_g), [function] "r"((uint64_t)(uintptr_t)function)
			 : "rax", "rdx", "rdi", "r12", "r13", "r14", "r15", "memory", "cc");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} kinds[] = { { "stub-none", stubs_none },
		      { "stub-empty", stubs_empty },
		      { "stub-noclock", stubs_noclock },
		      { "stub-clock", stubs_clock } };
	uint64_t calls = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct ring_head *r = (struct ring_head *)ring;

	stubs_g[1] = (uint64_t)(uintptr_t)&stubs_g;
	stubs_g[6] = (uint64_t)(uintptr_t)stubs_m;
	stubs_g[18] = 2;
	stubs_g[19] = r->last_goid = 1;
	stubs_m[26] = (uint64_t)(uintptr_t)stubs_p;
	stubs_m[9] = r->last_procid = 1;
	stubs_table[0] = (uint64_t)(uintptr_t)ring;
	for (size_t i = 0; calls && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		call(kinds[i].function, 10000);
		uint64_t wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);

		for (uint64_t left = calls; left;) {
			uint64_t some = left < 1000000 ? left : 1000000;

			r->head = r->reserved = 0; /* as a collector that keeps up */
			call(kinds[i].function, some);
			left -= some;
		}
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		wall = now_ns(CLOCK_MONOTONIC) - wall;
		printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", calls, wall, cpu);
		return 0;
	}
	fprintf(stderr, "usage: stubs stub-none|stub-empty|stub-noclock|stub-clock CALLS\n");
	return 2;
}

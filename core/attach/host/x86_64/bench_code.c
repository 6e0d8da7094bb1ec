// SPDX-License-Identifier: BSD-2-Clause
#include "attach/host/bench_code.h"

#include <asm/ptrace.h>
#include <stddef.h>

extern const unsigned char bench_push[], bench_jump[], bench_nop5[], bench_nop10[], bench_step[],
	bench_ret[];
__asm__(".text\n"
	".global host_bench_call, host_bench_ret_leaves\n"
	"host_bench_call:\n"
	"	push %r14\n"
	"	mov %rsi,%r14\n"
	"	call *%rdi\n"
	"	pop %r14\n"
	"	ret\n"
	"host_bench_ret_leaves:\n"
	"	push %r14\n"
	"	push %rbx\n"
	"	mov %rsi,%r14\n"
	"	mov %rsp,%rbx\n"
	"	lea 1f(%rip),%rax\n"
	"	push %rax\n"
	"	push %rax\n"
	"	jmp *%rdi\n"
	"1:	mov %rbx,%rax\n"
	"	sub %rsp,%rax\n"
	"	mov %rbx,%rsp\n"
	"	pop %rbx\n"
	"	pop %r14\n"
	"	ret\n"
	/* Aligned: the kernel rewrites an instruction only within one page. */
	".balign 16\n"
	"bench_push: push %rbp\n"
	"	pop %rbp\n"
	"	ret\n"
	".balign 16\n"
	"bench_jump: .byte 0xe9, 0, 0, 0, 0\n"
	"	ret\n"
	".balign 16\n"
	"bench_nop5: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"	ret\n"
	".balign 16\n"
	"bench_nop10: .byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
	"	ret\n"
	".balign 16\n"
	"bench_step: ret\n"
	".balign 16\n"
	"bench_ret: ret\n");

const unsigned char *const host_bench_sites[BENCH_SITES] = {
	[BENCH_PUSH] = bench_push,   [BENCH_JUMP] = bench_jump, [BENCH_NOP5] = bench_nop5,
	[BENCH_NOP10] = bench_nop10, [BENCH_STEP] = bench_step, [BENCH_RET] = bench_ret,
};

bool host_bench_became_call(enum bench_site site)
{
	const volatile unsigned char *p = host_bench_sites[site];

	/* lea -128(%rsp),%rsp comes before the call that a nop10 becomes. */
	return p[0] == 0xe8 || (p[0] == 0x48 && p[1] == 0x8d && p[2] == 0x64 && p[5] == 0xe8);
}

/* nop5, which is displaced; ret */
const uint8_t host_bench_function[HOST_BENCH_FUNCTION] = { 0x0f, 0x1f, 0x44, 0, 0, 0xc3 };

void host_bench_calls(const void *fn, const void *g, uint64_t n)
{
	/* A call writes below the stack pointer, where the compiler may keep something. */
	__asm__ volatile("sub $128, %%rsp\n"
			 "mov %[g], %%r14\n"
			 "1: call *%[fn]\n"
			 "dec %[n]\n"
			 "jnz 1b\n"
			 "add $128, %%rsp\n"
			 : [n] "+b"(n)
			 : [g] "r"(g), [fn] "D"(fn)
			 : "r12", "r13", "r14", "r15", "cc", "memory");
}

const int16_t host_pt_regs_pc = offsetof(struct pt_regs, rip);
const int16_t host_pt_regs_sp = offsetof(struct pt_regs, rsp);

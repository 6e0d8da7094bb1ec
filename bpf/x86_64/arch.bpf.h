/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the programs in the kernel that depends on the processor, here x86-64: registers,
 * user mode, numbers of system calls, the base of thread-local storage. Another processor has a
 * header of this name in a folder beside this one. The Makefile chooses the folder.
 *
 * Programs of type kprobe and perf_event get a struct pt_regs (bpf_user_pt_regs_t,
 * arch/x86/include/uapi/asm/ptrace.h). The kernel's own struct has the same layout.
 */
#ifndef GOTRACE_ARCH_BPF_H
#define GOTRACE_ARCH_BPF_H

#include <linux/bpf.h>
#include <asm/ptrace.h>
#include <bpf/bpf_helpers.h>

#include "bpf/event.h"

/* Registers of a struct pt_regs, as values that can be assigned to. */
#define REG_PC(regs) ((regs)->rip)
#define REG_SP(regs) ((regs)->rsp)
#define REG_FP(regs) ((regs)->rbp)
/* The goroutine's g, in code that keeps Go's ABI (cmd/compile/abi-internal.md). */
#define REG_G(regs) ((regs)->r14)

/* Integer registers of arguments and results, in the order of Go's ABI. `x(n, name)` is expanded
 * for each. */
#define GO_REGISTERS(x) \
	x(0, rax) x(1, rbx) x(2, rcx) x(3, rdi) x(4, rsi) x(5, r8) x(6, r9) x(7, r10) x(8, r11)
#define GO_ARG0(regs) ((regs)->rax)
#define GO_ARG1(regs) ((regs)->rbx)
#define GO_ARG2(regs) ((regs)->rcx)

/* 1 when the registers are those of the program and not the kernel's. */
#define REGS_OF_USER(regs) (((regs)->cs & 3) == 3)
/* The number of the system call that the thread is in, negative for none. `regs` are registers that
 * were saved at the entry of the kernel. */
#define CALL_NUMBER(regs) ((int64_t)(regs)->orig_rax)
/* arch/x86/entry/syscalls/syscall_64.tbl */
#define NR_EXECVE   59
#define NR_EXECVEAT 322
#define NR_UPROBE   336 /* Linux 6.18 */

/* RETURN_BYTES is the size of the return address that a call pushes. FAULT_BYTES is the size of
 * that which a signal's handler pushes when it fakes a call of runtime.sigpanic (preparePanic,
 * signal_amd64.go). */
#define RETURN_BYTES 8
#define FAULT_BYTES  8

/* The base of a thread's local storage in struct thread_struct. With CO-RE, BTF gives its
 * offset. */
struct thread_struct___local {
	unsigned long fsbase;
} __attribute__((preserve_access_index));
#define TLS_BASE(task) ((task)->thread.fsbase)

/* The code segment of a program of 32 bits, whose calls have other numbers
 * (arch/x86/include/asm/segment.h). */
#define USER32_CS 0x23

/* Reads the two words of another thread's saved registers that identify its system call. A whole
 * struct pt_regs would not fit the stack of the calling program. Returns 0 or a negative value. */
static __always_inline int read_call(const struct pt_regs *saved, int64_t *number, int *is_compat)
{
	uint64_t call = 0, code = 0;

	if (bpf_probe_read_kernel(&call, sizeof(call), &saved->orig_rax) ||
	    bpf_probe_read_kernel(&code, sizeof(code), &saved->cs))
		return -1;
	*number = call;
	*is_compat = code == USER32_CS;
	return 0;
}

/* Returns non-zero when the branch of Go's stack check (jbe) is taken, by carry or zero flag. */
static __always_inline int check_is_taken(const struct pt_regs *regs)
{
	return (regs->eflags & 0x41) != 0;
}

/*
 * Performs the probed RET. No kernel emulates a RET. The kernel steps it out of line, which is a
 * second trap. When a program changes ip, the kernel does not execute the probed instruction at all
 * (7384893d970e, 4363264111e1: Linux 6.18). When the stack cannot be read, this changes nothing,
 * and the kernel steps the RET. The RET then faults if it must.
 */
static __always_inline void perform_ret(struct pt_regs *ctx)
{
	uint64_t stack[2];
	uint8_t byte;

	if (bpf_probe_read_user(stack, sizeof(stack), (const void *)(ctx->rsp - 8)))
		return;
	/* The RET's own address is just below rsp. Either another tracer performed it already
	 * and the address it returned to has the RET's low bits, or the goroutine was once
	 * preempted at this RET. In the second case the breakpoint is here. */
	if (stack[0] == ctx->rip &&
	    (bpf_probe_read_user(&byte, 1, (const void *)ctx->rip) || byte != 0xcc))
		return;
	ctx->rip = stack[1];
	ctx->rsp += 8;
}

#endif

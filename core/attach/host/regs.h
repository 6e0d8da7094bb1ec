/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a stopped thread, and system calls that it makes for gotrace. The functions
 * depend on the processor; a folder beside this file has those of one processor.
 */
#ifndef GOTRACE_HOST_REGS_H
#define GOTRACE_HOST_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct host_regs {
	uint64_t words[40]; /* the layout is the kernel's, for debuggers; no processor has more */
};

/* Reads and writes the registers of a thread that ptrace holds. `put_back` tries again after a
 * failure (ptrace_must). Each returns 0 or -errno. */
int host_regs_get(pid_t tid, struct host_regs *r);
int host_regs_set(pid_t tid, const struct host_regs *r);
int host_regs_put_back(pid_t tid, const struct host_regs *r);

/* The address of the next instruction, and the stack pointer. */
uint64_t host_regs_pc(const struct host_regs *r);
uint64_t host_regs_sp(const struct host_regs *r);
void host_regs_go_to(struct host_regs *r, uint64_t pc);

/* Returns true if the thread runs code of this processor's 64-bit mode. */
bool host_regs_64_bit(const struct host_regs *r);

/* Sets the registers so that a system call instruction at `at` makes this call. args: its number
 * and six arguments. The kernel restarts no earlier call. */
void host_regs_call(struct host_regs *r, uint64_t at, const uint64_t args[7]);
/* The result of a call that has returned; -errno of the kernel's. */
int64_t host_regs_result(const struct host_regs *r);

/*
 * Sets the registers of a thread back to right before its system call, if the kernel would execute
 * that call again. These are the values that the kernel sets if no signal handler runs. For other
 * threads it only tells the kernel to restart no call. (Programs must not see -ERESTART*.)
 */
void host_regs_rewind_call(struct host_regs *r);

/* The word of text whose first bytes are a system call instruction, the others those of `was`. */
uint64_t host_call_in_word(uint64_t was);

/*
 * Returns true if the word at stack[i] tells that the frame of a signal handler is around it. `at`
 * is the address of that word. The handler runs, with `sp` further down on the same stack: a frame
 * that was left behind on an idle stack for handlers does not count. *pc and *interrupted_sp are
 * those of the interrupted code.
 */
bool host_signal_frame(const uint64_t *stack, size_t i, uint64_t at, uint64_t sp, uint64_t *pc,
		       uint64_t *interrupted_sp);

/* The address of the instruction that a signal interrupted. `context`: third argument of its
 * handler. */
uint64_t host_signal_pc(const void *context);

/* Returns true for a call that a dynamic linker makes. Where the C library is the linker (musl),
 * the program makes other calls soon. */
bool host_is_linkers_call(uint64_t number);

#endif

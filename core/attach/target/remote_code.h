/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that a thread of a running process executes for gotrace: one system call. It then puts
 * the thread back to where it was by itself, signal mask, registers and flags, and uses no stack:
 * if gotrace dies meanwhile, nobody else would. Pure: bytes and addresses.
 */
#ifndef GOTRACE_REMOTE_CODE_H
#define GOTRACE_REMOTE_CODE_H

#include <stdint.h>
#include <sys/user.h>

#define REMOTE_CODE_BYTES 288
#define REMOTE_TEXT_MAX   24 /* bytes of a string for the call, its 0 included */

/* How a thread goes on. */
struct remote_state {
	struct user_regs_struct regs;
	uint64_t signals; /* mask of those that it blocks */
};

/*
 * Of a thread that was stopped in a system call that the kernel would execute again: the registers
 * of right before that call, as the kernel would set them when no signal handler runs. Others stay
 * as they are. (-ERESTART* are not to be seen by a program.)
 */
void remote_rewind_syscall(struct user_regs_struct *r);

/* Writes the code for address `at`, REMOTE_CODE_BYTES. args: the call's number and six arguments;
 * `text`, when not NULL, is a string whose address takes the place of the first. */
void remote_code_write(const struct remote_state *s, uint64_t at, const uint64_t args[7],
		       const char *text, uint8_t *to);

#endif

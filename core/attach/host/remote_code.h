/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that a thread of a running process executes for gotrace: one system call. Then the code
 * itself restores the thread's place, signal mask, registers and flags. It uses no stack. If
 * gotrace dies meanwhile, nobody else would restore them. Pure: bytes and addresses.
 */
#ifndef GOTRACE_REMOTE_CODE_H
#define GOTRACE_REMOTE_CODE_H

#include <stdint.h>

#include "attach/host/regs.h"

#define REMOTE_CODE_BYTES 288
#define REMOTE_TEXT_MAX   24 /* bytes of a string for the call, its 0 included */

/* The state with which a thread continues. */
struct remote_state {
	struct host_regs regs;
	uint64_t signals; /* mask of its blocked signals */
};

/* Writes the code for address `at`, REMOTE_CODE_BYTES. args: the call's number and six arguments.
 * `text`: NULL, or a string whose address becomes the first argument. */
void remote_code_write(const struct remote_state *s, uint64_t at, const uint64_t args[7],
		       const char *text, uint8_t *to);

#endif

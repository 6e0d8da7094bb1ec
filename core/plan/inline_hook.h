/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hook that makes signals safe in inline stubs. Go's runtime knows only a pc inside its text.
 * At another pc it does not preempt, crashes at a fault, and ends tracebacks. So the hook, at the
 * beginning of runtime.sigtramp, changes the pc that a handler sees, by where the signal came:
 *
 *    in a record: the hook undoes it (registers and ring). The thread starts again at the window.
 *    a fault of the record: the hook disables all rings and the thread takes the slow path. Go
 *        does not see the fault.
 *    in displaced bytes: the handler sees their address in the text. When it leaves pc there, the
 *        thread continues in the stub, since the text now has a jump at that address.
 *    at a jump back: the handler sees its target, and the thread continues there.
 *    at a jump that is probed: the handler sees its target. The thread continues at the jump,
 *        whose probe has not been hit yet.
 *    at a jump to a stub, in padding or at a window: as at the stub's first byte.
 *
 * Go preempts by SIGURG. Its handler sees the pc of the text only when the thread continues there.
 * Elsewhere Go refuses to preempt and tries again. Handlers that are not Go's do not pass through
 * the hook and see the stub's pc. Pure: bytes and addresses.
 */
#ifndef GOTRACE_INLINE_HOOK_H
#define GOTRACE_INLINE_HOOK_H

#include "plan/inline_stub.h"

/* A jump of five bytes to the hook replaces the bytes of runtime.sigtramp (struct arch) from this
 * offset on. The hook then goes on at INLINE_SIGTRAMP_BYTES. */
#define INLINE_SIGTRAMP_JUMP  4
#define INLINE_SIGTRAMP_BYTES 9

/* The hook while its table is gathered. */
struct inline_hook;

/* Addresses that the hook needs, and its own. They have the form of stubs' addresses. */
struct inline_hook_place {
	uint64_t addr; /* the hook's address, a multiple of 8 */
	/* start and size of all stubs; the start is a multiple of INLINE_ALIGN */
	uint64_t stubs, stubs_bytes;
	uint64_t text,
		text_bytes; /* readable code of the program that holds all windows and padding */
	uint64_t sigtramp;  /* address of runtime.sigtramp */
	uint64_t table;     /* address of the table of ring addresses, writable */
	uint64_t signals;   /* address of a struct ring_signals, writable */
};

/* Returns NULL when there is no memory. The caller frees it with inline_hook_free. */
struct inline_hook *inline_hook_new(void);
void inline_hook_free(struct inline_hook *h);

/* Adds a stub whose first byte is `start` bytes after the first byte of all stubs. Returns 0,
 * -ENOMEM, -EINVAL as inline_stub_parts does, or -ERANGE when its window is too far away. */
int inline_hook_add(struct inline_hook *h, const struct inline_program *p,
		    const struct inline_stub *s, uint64_t stubs, uint32_t start);

/* Returns the bytes of the hook's code and table, once all stubs were added. */
size_t inline_hook_bytes(const struct inline_hook *h, uint64_t stubs_bytes);

/* Writes code and table to `to`, which holds inline_hook_bytes, executable and readable. Returns 0
 * or -ERANGE. */
int inline_hook_write(const struct inline_hook *h, const struct inline_hook_place *place,
		      uint8_t *to);

#endif

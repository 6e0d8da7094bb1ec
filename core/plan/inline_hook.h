/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes signals safe in inline stubs. Go's runtime knows no pc outside its text: it would not
 * preempt there, crash at a fault, and end tracebacks. So the hook, at the beginning of
 * runtime.sigtramp, changes the pc that a handler sees:
 *
 *	pc in a record: undone (registers and ring); the thread starts again at the window
 *	a fault of the record: all rings are disabled, the thread takes the slow path; Go does not
 *	    see the fault
 *	in displaced bytes: shown at their address in the text; when the handler leaves pc there,
 *	    the thread goes on in the stub, since the text has a jump there now
 *	at a jump back: moved on to its target
 *	at a jump that is probed: its target is shown, and the thread goes on at the jump, whose
 *	    probe was not hit yet
 *	at a jump to a stub, in padding or at a window: as at the stub's first byte
 *
 * SIGURG, by which Go preempts, sees the text only where the thread goes on there; elsewhere Go
 * refuses and tries again. Handlers that are not Go's do not pass here and see the stub's pc.
 * Pure: bytes and addresses.
 */
#ifndef GOTRACE_INLINE_HOOK_H
#define GOTRACE_INLINE_HOOK_H

#include "plan/inline_stub.h"

/* runtime.sigtramp begins with these bytes in Go 1.19 to 1.27; where they differ there can be no
 * hook. A jump of five bytes to the hook takes the place of those from INLINE_SIGTRAMP_JUMP on. */
#define INLINE_SIGTRAMP_JUMP  4
#define INLINE_SIGTRAMP_BYTES 9
extern const uint8_t inline_sigtramp[INLINE_SIGTRAMP_BYTES];

/* The hook while its table is gathered. */
struct inline_hook;

/* Addresses that the hook needs, its own included, in the same form as those of stubs. */
struct inline_hook_place {
	uint64_t addr;               /* of the hook; a multiple of 8 */
	uint64_t stubs, stubs_bytes; /* of all stubs: start, a multiple of INLINE_ALIGN, and size */
	uint64_t text,
		text_bytes; /* readable code of the program that holds all windows and padding */
	uint64_t sigtramp;  /* of runtime.sigtramp */
	uint64_t table;     /* of ring addresses; writable */
	uint64_t signals;   /* struct ring_signals; writable */
};

/* NULL: no memory. */
struct inline_hook *inline_hook_new(void);
void inline_hook_free(struct inline_hook *h);

/* Adds a stub whose first byte is `start` bytes after the first byte of all stubs. 0, -ENOMEM,
 * -EINVAL as inline_stub_parts, or -ERANGE where its window is too far. */
int inline_hook_add(struct inline_hook *h, const struct inline_program *p,
		    const struct inline_stub *s, uint64_t stubs, uint32_t start);

/* Bytes of the hook's code and table, once all stubs were added. */
size_t inline_hook_bytes(const struct inline_hook *h, uint64_t stubs_bytes);

/* Writes code and table to `to`, inline_hook_bytes, executable and readable. 0 or -ERANGE. */
int inline_hook_write(const struct inline_hook *h, const struct inline_hook_place *place,
		      uint8_t *to);

#endif

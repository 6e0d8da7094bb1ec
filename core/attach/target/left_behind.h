/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A killed gotrace leaves jumps to its stubs in the text of a running process. Nobody reads their
 * rings. A gotrace holds a lock on the file of its stubs while it lives.
 */
#ifndef GOTRACE_LEFT_BEHIND_H
#define GOTRACE_LEFT_BEHIND_H

#include <stddef.h>
#include <stdint.h>

#include "attach/target/running.h"

/* Locks the file of stubs that this process has made. Returns a descriptor, the caller's, that
 * holds the lock until it is closed, or -errno. It opens the file anew, since the process that maps
 * stub_fd would hold the lock, too. */
int left_behind_claim(int stub_fd);

/*
 * r has found its text and its runtime. Puts back the bytes that jumps have displaced, and unmaps
 * stubs and rings, once no thread is inside. Returns NULL, also without stubs, or a clause, r's or
 * static. Then some bytes may be put back already; the next call goes on.
 */
const char *left_behind_take_back(struct running *r);

/* ---- for its test */

/* Bytes of text, as they are and as the file has them; `at`: the first one's address. */
struct left_text {
	const uint8_t *is, *file;
	size_t n;
	uint64_t at;
	uint64_t stubs, stubs_bytes;
	uint64_t code, code_bytes; /* where remote.h puts code */
	uint8_t *back;             /* out: LEFT_* of each byte */
};
/* In which order they are written: nothing may jump to what is gone. */
enum { LEFT_ALONE, LEFT_WINDOW, LEFT_PADDING, LEFT_CODE };

/* Which bytes are to be put back. NULL, or a clause, static: some byte differs that no gotrace has
 * changed. Breakpoints of uprobes stay. */
const char *left_behind_find(struct left_text *t);

#endif

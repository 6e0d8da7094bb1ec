/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a gotrace that was killed has left in a running process: jumps in its text to stubs, whose
 * rings nobody reads. A gotrace holds a lock on the file of its stubs while it lives.
 */
#ifndef GOTRACE_LEFT_BEHIND_H
#define GOTRACE_LEFT_BEHIND_H

#include <stddef.h>
#include <stdint.h>

#include "attach/target/running.h"

/* Locks the file of stubs that this process has made. A descriptor that holds the lock until it is
 * closed, the caller's, or -errno. It is opened anew: what stub_fd stands for may be mapped. */
int left_behind_claim(int stub_fd);

/*
 * r has found its text and its runtime. Puts back what jumps have displaced and unmaps stubs and
 * rings, once nobody is inside. NULL, also where there are no stubs, or a clause, r's or static;
 * then text and stubs are as they were, or as far back as they came: the next one goes on.
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

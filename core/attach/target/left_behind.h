/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes the stubs that a killed gotrace has left. Its jumps to them stay in the text of a running
 * process, and nobody reads their rings. A living gotrace holds a lock on the file of its stubs.
 */
#ifndef GOTRACE_LEFT_BEHIND_H
#define GOTRACE_LEFT_BEHIND_H

#include <stddef.h>
#include <stdint.h>

#include "attach/target/running.h"

/* Locks the file of stubs that this process has made. Returns -errno, or a descriptor that holds
 * the lock until the caller closes it. It opens the file again, because the process that maps
 * stub_fd would also hold its lock. */
int left_behind_claim(int stub_fd);

/*
 * Puts back the bytes that jumps have displaced, and unmaps stubs and rings, once no thread is
 * inside. r has found its text and its runtime. Returns NULL, also if there are no stubs. Otherwise
 * returns a clause, in r or static. Then some bytes may be back already, and the next call
 * continues.
 */
const char *left_behind_take_back(struct running *r);

/* ---- for its test */

/* Bytes of text, in memory and in the file. `at`: address of the first one. */
struct left_text {
	const uint8_t *is, *file;
	size_t n;
	uint64_t at;
	uint64_t stubs, stubs_bytes;
	uint64_t code, code_bytes; /* where remote.h puts code */
	uint8_t *back;             /* out: LEFT_* of each byte */
};
/* The order of writing. No jump may lead to bytes that are gone. */
enum { LEFT_ALONE, LEFT_WINDOW, LEFT_PADDING, LEFT_CODE };

/* Fills in `back`, the bytes to put back. Returns NULL, or a static clause if a byte differs that
 * no gotrace has changed. Breakpoints of uprobes stay. */
const char *left_behind_find(struct left_text *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks stacks of goroutines that no thread executes, by the binary's tables. */
#ifndef GOTRACE_SAMPLE_SNAPSHOT_WALK_H
#define GOTRACE_SAMPLE_SNAPSHOT_WALK_H

#include <sys/uio.h>

#include "sample/snapshot.h"

/* The part of a stack that was read, from `from` up. A walk reads more where it needs more. */
struct stack_window {
	uint64_t from, hi; /* hi: end of the stack */
	const uint8_t *data;
	size_t bytes;
};

/* Kinds of functions with a walk of their own. */
#define SNAPSHOT_ROOT      1 /* the outermost function */
#define SNAPSHOT_INTERRUPT 2 /* a signal interrupted its caller */

/* Walks the stack of a goroutine that stopped at pc with stack pointer w->from. start: the function
 * that it was started in. Fills in *to. */
void snapshot_walk(const struct snapshot *s, struct stack_window *w, uint64_t pc, uint64_t start,
		   struct snapshot_goroutine *to);
/* Reads the process's memory until s->until_ns, like attach/process_memory.h. Returns 0 or -errno.
 */
int snapshot_read(const struct snapshot *s, uint64_t at, void *to, size_t bytes);
/* Reads many pieces into one buffer, one after the other. Returns the number of bytes read, or
 * -errno. */
ssize_t snapshot_read_pieces(const struct snapshot *s, void *to, const struct iovec *pieces,
			     size_t n);

#endif

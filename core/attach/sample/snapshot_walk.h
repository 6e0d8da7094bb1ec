/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of goroutines that no thread executes, by the binary's tables. */
#ifndef GOTRACE_SAMPLE_SNAPSHOT_WALK_H
#define GOTRACE_SAMPLE_SNAPSHOT_WALK_H

#include <sys/uio.h>

#include "attach/sample/snapshot.h"

/* What was read of a stack, from `from` up; more of it is read where a walk needs it. */
struct stack_window {
	uint64_t from, hi; /* hi: where the stack ends */
	const uint8_t *data;
	size_t bytes;
};

/* Of a function that is walked in another way. */
#define SNAPSHOT_ROOT      1 /* the outermost */
#define SNAPSHOT_INTERRUPT 2 /* its caller was interrupted, not calling */

/* The stack of a goroutine that stopped at pc, w->from; start: the function it was started in. */
void snapshot_walk(const struct snapshot *s, struct stack_window *w, uint64_t pc, uint64_t start,
		   struct snapshot_goroutine *to);
/* Reads the process's memory until s->until_ns, as attach/process_memory.h. 0 or -errno. */
int snapshot_read(const struct snapshot *s, uint64_t at, void *to, size_t bytes);
/* Many pieces into one buffer, one after the other. How many bytes of it are there, or -errno. */
ssize_t snapshot_read_pieces(const struct snapshot *s, void *to, const struct iovec *pieces,
			     size_t n);

#endif

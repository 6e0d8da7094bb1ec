// SPDX-License-Identifier: BSD-2-Clause
#include "sample/snapshot_walk.h"
#include "base/clock.h"
#include "attach/process_memory.h"

#define READ_NS 1000000000 /* of one read, where nobody gives a time for all */

static uint64_t until(const struct snapshot *s)
{
	return s->until_ns ? s->until_ns : clock_monotonic_ns() + READ_NS;
}

int snapshot_read(const struct snapshot *s, uint64_t at, void *to, size_t bytes)
{
	return process_memory_read_all(s->pid, at, to, bytes, until(s));
}

ssize_t snapshot_read_pieces(const struct snapshot *s, void *to, const struct iovec *pieces,
			     size_t n)
{
	return process_memory_read(s->pid, to, pieces, n, until(s));
}

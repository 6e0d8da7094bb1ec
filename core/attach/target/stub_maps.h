/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps the plan's stubs and rings into a process, by system calls that the process makes. */
#ifndef GOTRACE_STUB_MAPS_H
#define GOTRACE_STUB_MAPS_H

#include <stdint.h>

#include "attach/target/ring_area.h"
#include "attach/target/text_patch.h"

/* How the process is made to do a system call: number and six arguments. *result is what the kernel
 * returns, -errno included. 0 or -errno when it was not made. */
struct process_calls {
	int (*call)(void *ctx, const uint64_t args[7], int64_t *result);
	void *ctx;
};

/* The mappings that were made, by run-time addresses. One that was not made has 0 bytes. */
struct stub_maps {
	struct {
		uint64_t at, bytes;
	} stubs, table, signals, rings;
	int err; /* -errno of the last call; 0 when it was made */
};

/*
 * Maps the stubs, and with `rings` (NULL: the plan has no inline stubs) the table of rings, the
 * hook's counts and the rings. The descriptors are the process's. NULL, or a clause, static, to
 * which maps->err belongs where it is not 0; *maps has what was mapped in either case.
 */
const char *stub_maps_make(struct stub_maps *maps, const struct process_calls *calls,
			   const struct text_patch *text, int stub_fd,
			   const struct ring_area *rings, int rings_fd);

/* Enters the beginning of ring i, which has memory, into the process's page table. Otherwise, and
 * before Linux 5.14, each page is entered as it is first written. */
void stub_maps_populate(const struct stub_maps *maps, const struct process_calls *calls,
			const struct ring_area *rings, unsigned i);

/* Unmaps it all. 0 or -errno; what could not be unmapped stays in *maps. */
int stub_maps_remove(struct stub_maps *maps, const struct process_calls *calls);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps the plan's stubs and rings into a process, by system calls of the process. */
#ifndef GOTRACE_STUB_MAPS_H
#define GOTRACE_STUB_MAPS_H

#include <stdint.h>

#include "attach/target/ring_area.h"
#include "attach/target/text_patch.h"

/* Makes the process do a system call: number and six arguments. *result is the kernel's result,
 * which may be -errno. Returns 0, or -errno if the call was not made. */
struct process_calls {
	int (*call)(void *ctx, const uint64_t args[7], int64_t *result);
	void *ctx;
};

/* The mappings by run-time addresses. A mapping that was not made has 0 bytes. */
struct stub_maps {
	struct {
		uint64_t at, bytes;
	} stubs, table, signals, rings;
	int err; /* -errno of the last call, or 0 if it was made */
};

/*
 * Maps the stubs. With `rings` it also maps the table of rings, the hook's counts and the rings.
 * rings NULL: the plan has no inline stubs. The descriptors are the process's. Returns NULL or a
 * static clause. maps->err belongs to the clause if it is not 0. *maps has all mappings that were
 * made in either case.
 */
const char *stub_maps_make(struct stub_maps *maps, const struct process_calls *calls,
			   const struct text_patch *text, int stub_fd,
			   const struct ring_area *rings, int rings_fd);

/* Enters the beginning of ring i, which has memory, into the process's page table. Otherwise, and
 * before Linux 5.14, the first write to each page enters it. */
void stub_maps_populate(const struct stub_maps *maps, const struct process_calls *calls,
			const struct ring_area *rings, unsigned i);

/* Unmaps all. Returns 0 or -errno. Mappings that could not be removed stay in *maps. */
int stub_maps_remove(struct stub_maps *maps, const struct process_calls *calls);

#endif

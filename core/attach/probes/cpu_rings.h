/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring buffers that BPF programs write to, one for each processor, and the map of them. */
#ifndef GOTRACE_CPU_RINGS_H
#define GOTRACE_CPU_RINGS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_rings {
	int map;           /* of the rings, by processor; -1: there are none */
	int *fds;          /* by processor, -1 where there is no ring */
	unsigned n_cpus;   /* possible ones */
	size_t ring_bytes; /* of one */
	uint32_t failed;   /* the processor whose ring could not be made */
};

/*
 * Makes them. `bytes`: wanted for each, becomes a power of two of pages; `bytes_sum`: cap on all
 * together, 0: none. It waits 10 ms for the kernel, so it is worth a thread of its own. 0 or
 * -errno: map is -1 then, ring_bytes and `failed` say what could not be made.
 */
int cpu_rings_make(struct cpu_rings *r, size_t bytes, size_t bytes_sum);
/* In every case. */
void cpu_rings_close(struct cpu_rings *r);

#endif

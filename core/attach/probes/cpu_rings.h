/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring buffers of the BPF programs, one for each processor, and their map. */
#ifndef GOTRACE_CPU_RINGS_H
#define GOTRACE_CPU_RINGS_H

#include <stddef.h>
#include <stdint.h>

struct cpu_rings {
	int map;           /* map of the rings, by processor; -1 without rings */
	int *fds;          /* by processor; -1 without a ring */
	unsigned n_cpus;   /* possible ones */
	size_t ring_bytes; /* bytes of one ring */
	uint32_t failed;   /* the processor whose ring could not be made */
};

/*
 * Makes the rings. `bytes`: wanted size of each, rounded to a power of two of pages. `bytes_sum`:
 * limit on all together; 0: none. It waits 10 ms for the kernel, so it deserves a thread of its
 * own. Returns 0, or -errno with map -1; then ring_bytes and `failed` describe the ring that
 * failed.
 */
int cpu_rings_make(struct cpu_rings *r, size_t bytes, size_t bytes_sum);
/* The caller must call it in every case. */
void cpu_rings_close(struct cpu_rings *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's limits. They keep its memory below the value in its file. */
#ifndef GOTRACE_AGENT_BOUNDS_H
#define GOTRACE_AGENT_BOUNDS_H

#include <stdint.h>

#define AGENT_MEMORY_DEFAULT (400ull << 20)
#define AGENT_MEMORY_MIN     (128ull << 20)

struct agent_bounds {
	uint64_t hold;   /* bytes of symbols at a time; half while none is looked up */
	uint64_t binary; /* bytes for reading one Go program */
	/* Rows of unwinding tables in the kernel, 8 bytes each, for Go's code and for other code.
	 */
	uint64_t rows;
	uint32_t mapped;     /* processes with mappings in the kernel's memory */
	uint64_t processes;  /* bytes of processes and their mappings */
	uint64_t stretch;    /* bytes of a stretch's tables; a larger stretch ends early */
	uint64_t members;    /* bytes of data on the services of processes */
	uint64_t goroutines; /* goroutines to look at in each process with "waiting" */
};

/* Returns the limits for `memory` bytes, at least AGENT_MEMORY_MIN. `waiting`: the number of
 * processes whose goroutines may be looked at. */
struct agent_bounds agent_bounds(uint64_t memory, unsigned waiting);

#endif

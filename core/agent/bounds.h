/* SPDX-License-Identifier: BSD-2-Clause */
/* What the agent may keep, counted in bytes, so that its memory stays below what its file says. */
#ifndef GOTRACE_AGENT_BOUNDS_H
#define GOTRACE_AGENT_BOUNDS_H

#include <stdint.h>

#define AGENT_MEMORY_DEFAULT (400ull << 20)
#define AGENT_MEMORY_MIN     (128ull << 20)

struct agent_bounds {
	uint64_t hold;       /* symbols at a time, half of it while nothing is looked up */
	uint64_t binary;     /* one Go program that is read */
	uint64_t rows;       /* of unwinding tables in the kernel, of 8 bytes: Go's, and others' */
	uint32_t mapped;     /* processes whose mappings are in the kernel's memory */
	uint64_t processes;  /* and what they have mapped */
	uint64_t stretch;    /* tables of a stretch: it ends early then */
	uint64_t members;    /* of rules: which service a process belongs to */
	uint64_t goroutines; /* looked at in each process with "waiting" */
};

/* Of memory, in bytes, at least AGENT_MEMORY_MIN. `waiting`: processes that may be looked at. */
struct agent_bounds agent_bounds(uint64_t memory, unsigned waiting);

#endif

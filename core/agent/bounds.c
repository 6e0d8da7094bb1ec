// SPDX-License-Identifier: BSD-2-Clause
#include "agent/bounds.h"

/* The program and its libraries, rings that it shares with the kernel, one thread's work. */
#define FIXED_BYTES (80ull << 20)

/* What looking at a goroutine again takes: an address, a mark, what it did last. */
#define GOROUTINE_BYTES 128

/* What a process has mapped, in the kernel's memory: struct sample_images and the place of it. */
#define MAPPED_BYTES 2176

/*
 * Of what is left (R), at one time:
 * while samples are read, the symbols that stay (R/4), a Go program (R/2), processes, tables;
 * while addresses get names, twice the symbols, one of them being read (R/4 more), and the same;
 * while a stretch is put away, the symbols that stay, and its tables some six times.
 */
struct agent_bounds agent_bounds(uint64_t memory, unsigned waiting)
{
	const uint64_t least = memory > AGENT_MEMORY_MIN ? memory : AGENT_MEMORY_MIN,
		       rest = least - FIXED_BYTES;

	return (struct agent_bounds){
		.hold = rest / 2,
		.binary = rest / 2,
		.rows = rest / 10 / 8,
		.mapped = (uint32_t)(rest / 20 / MAPPED_BYTES),
		.processes = rest / 10,
		.stretch = rest / 20,
		.members = rest / 20,
		.goroutines = rest / 20 / GOROUTINE_BYTES / (waiting ? waiting : 1),
	};
}

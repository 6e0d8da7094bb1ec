/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by both files of the pprof export: samples (pprof.c) and the parts before them
 * (pprof_head.c). */
#ifndef GOTRACE_PPROF_H
#define GOTRACE_PPROF_H

#include "analysis/calls/call_tree.h"
#include "analysis/calls/wait_rows.h"
#include "base/hash_index.h"
#include "export/export.h"
#include "export/pprof/profile_out.h"

/* Values of each sample. The last five exist only in traces with states. */
#define PPROF_VALUES 10

/* A go statement, and the function that a goroutine from it begins with. */
struct pprof_go {
	uint64_t pc;
	uint32_t func;
	uint64_t location; /* 0 before it has one */
};

/* A line on which a function calls others. */
struct pprof_call {
	uint32_t func, line;
	uint64_t location; /* 0 before it has one */
};

struct pprof {
	const struct export_options *opt;
	const struct loaded_trace *trace;
	const struct call_tree *tree;
	struct wait_rows waits; /* by node of the tree */
	struct profile_out out;
	/* locations of each function, then of the timer, of [other], of growth and of preemption; 0
	 * before there is one */
	uint64_t *location;
	uint64_t n_locations; /* also the number of functions */
	/* locations of [go] frames */
	struct pprof_go *gos;
	size_t n_gos, cap_gos;
	struct hash_index by_go; /* finds gos */
	struct pprof_call *calls;
	size_t n_calls, cap_calls;
	struct hash_index by_call; /* finds calls */
	uint64_t *stack;
	size_t cap_stack;
	bool mapped;
};

/* Returns how many of PPROF_VALUES a sample has. */
static inline size_t pprof_n_values(const struct pprof *p)
{
	return p->trace->totals->states ? PPROF_VALUES : 4;
}
/* Writes types, times, the mapping and comments. */
void pprof_head(struct pprof *p);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Who calls a function, who calls those, and how much of its time each way has. */
#ifndef GOTRACE_INVERTED_TREE_H
#define GOTRACE_INVERTED_TREE_H

#include "analysis/calls/call_tree.h"

/*
 * Of the functions for which funcs[] is not 0: each is an outermost node, its callers are below it,
 * theirs below them, siblings by name. All numbers are of that function's calls that were made this
 * way; an outermost node has those of its function in trace->funcs, without percentiles. A node's
 * subtree_ns is its total_ns. `go`: it started what stands above it, at go_pc. `from`: of the
 * trace, with MERGE_FUNCTIONS. Paths under PATH_OTHER have lost their functions, so their calls are
 * missing. Of a trace of stored_bytes only so many nodes are made as such a recording can need;
 * outer callers are [other] then, which is logged. 0 or -ENOMEM (logged); call_tree_free in either
 * case.
 */
int inverted_tree_build(struct call_tree *t, const struct call_tree *from,
			const struct trace_info *info, const uint8_t *funcs, uint64_t stored_bytes);

#endif

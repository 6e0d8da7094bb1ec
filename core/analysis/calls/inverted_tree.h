/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree of the callers of functions and their callers, with the part of the function's time that
 * each way has. */
#ifndef GOTRACE_INVERTED_TREE_H
#define GOTRACE_INVERTED_TREE_H

#include "analysis/calls/call_tree.h"

/*
 * Builds the tree of the functions for which funcs[] is not 0. Each is an outermost node, with its
 * callers below it and their callers below them, siblings by name. All numbers are those of the
 * function's calls that were made this way. An outermost node has the numbers of its function in
 * trace->funcs, without percentiles. A node's subtree_ns is its total_ns. A node with `go` started
 * the function above it, at go_pc. `from` is the trace's tree with MERGE_FUNCTIONS. Paths under
 * PATH_OTHER have lost their functions, so their calls are missing. The number of nodes is limited
 * to that which a recording of stored_bytes can need. Above the limit outer callers are [other],
 * which is logged. 0 or -ENOMEM (logged); call_tree_free in either case.
 */
int inverted_tree_build(struct call_tree *t, const struct call_tree *from,
			const struct trace_info *info, const uint8_t *funcs, uint64_t stored_bytes);

#endif

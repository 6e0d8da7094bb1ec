/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace and the tree of its paths for export to other programs, with MERGE_NAMES
 * (analysis/calls/call_tree.h). */
#ifndef GOTRACE_TREE_LOAD_H
#define GOTRACE_TREE_LOAD_H

#include "analysis/calls/call_tree.h"

/*
 * Reads r to its end. view: the part that counts; may be NULL. watch: may be NULL. cut_go: a
 * function that a go statement started is outermost. raw: times stay as measured, with the cost of
 * probes. 0 or -errno (logged, except watch->err); trace_unload and call_tree_free in either case.
 */
int tree_load(struct loaded_trace *trace, struct call_tree *tree, struct trace_reader *r,
	      const struct trace_view *view, struct trace_watch *watch, bool cut_go, bool raw);

/*
 * Returns waits of parked goroutines by node, ns, to be freed. NULL and 0 in *err if there are
 * none. The trace must be loaded with watch.parked and mark_parked. In a trace of samples, the tree
 * has these waits.
 */
uint64_t *tree_parked(const struct loaded_trace *trace, const struct call_tree *tree, int *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits outputs that have all functions of a path in its row. They grow with the square of the
 * depth. A path of 4,000 functions, each with a row, is eight million names. The limit depends on
 * the size of the recording, like that of memory. The lightest paths are cut.
 */
#ifndef GOTRACE_WHOLE_PATHS_H
#define GOTRACE_WHOLE_PATHS_H

#include "analysis/calls/call_tree.h"

struct trace_reader;

/* Returns the most bytes of names that rows of paths may have for the part read so far. */
uint64_t whole_paths_most(const struct trace_reader *r);

/* Returns the bytes of the names in a path's row, with separators. */
uint64_t whole_paths_row(const struct call_tree *t, const struct trace_info *info, uint32_t node);

/*
 * Cuts the tree when its rows would have more than `most` bytes of names. With depth, only paths of
 * at most so many functions have rows. The paths with the largest shares of the time stay as long
 * as there is room. The other nodes below such a path become one node [other] with their times.
 * Logs it, with the number of paths. node_of is updated. 0 or -ENOMEM (logged; the tree is
 * unchanged).
 */
int whole_paths_bound(struct call_tree *t, const struct trace_info *info, uint32_t depth,
		      uint64_t most);

/* The wanted paths. A zeroed struct wants all. */
struct path_cut {
	unsigned depth;       /* most functions of a path; 0 for any number */
	double min_share_pct; /* least share of all time, with all nodes below */
};

/* Cuts the paths that `cut` does not want in the same way. */
int whole_paths_cut(struct call_tree *t, const struct path_cut *cut);

#endif

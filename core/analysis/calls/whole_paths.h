/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs that have all functions of a path in its row grow with the square of the depth: a path of
 * 4,000 functions, each of which has a row, is eight million names. What a recording of so many
 * bytes may take of that has a bound, as its memory has; the lightest paths give way.
 */
#ifndef GOTRACE_WHOLE_PATHS_H
#define GOTRACE_WHOLE_PATHS_H

#include "analysis/calls/call_tree.h"

struct trace_reader;

/* Bytes of names that rows of paths of what was read so far may have. */
uint64_t whole_paths_most(const struct trace_reader *r);

/* Bytes of the names in a path's row, what separates them included. */
uint64_t whole_paths_row(const struct call_tree *t, const struct trace_info *info, uint32_t node);

/*
 * When rows of all paths, or with depth of those of at most so many functions, would have more than
 * `most` bytes of names: paths stay in the order of their share of the time as long as there is
 * room; what else was below one of them becomes one node [other] below it, with the same times.
 * Says so, and for how many. node_of follows. 0 or -ENOMEM (logged; the tree is as it was).
 */
int whole_paths_bound(struct call_tree *t, const struct trace_info *info, uint32_t depth,
		      uint64_t most);

/* What of the paths is wanted; zeroed: all. */
struct path_cut {
	unsigned depth;       /* functions, at most; 0: any number */
	double min_share_pct; /* of all time, all below included, at least */
};

/* The same with what `cut` does not want. */
int whole_paths_cut(struct call_tree *t, const struct path_cut *cut);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls and self time of each path on each goroutine. */
#ifndef GOTRACE_GOROUTINE_PATHS_H
#define GOTRACE_GOROUTINE_PATHS_H

#include "analysis/calls/call_tree.h"
#include "base/hash_index.h"

struct goroutine_path {
	uint64_t goid; /* unique within its image */
	uint64_t calls, self_ns;
	struct off_times off; /* parts of self_ns */
	uint32_t node;  /* a path of the model; after goroutine_paths_sort, a node of the tree */
	uint32_t image; /* that of struct call */
};

struct goroutine_paths {
	struct goroutine_path *all;
	size_t n, cap;
	struct hash_index index; /* index of `all` until goroutine_paths_sort */
};

/* Adds an ended call. 0 or -ENOMEM. */
int goroutine_paths_add(struct goroutine_paths *g, const struct call *c);
/* Sorts the entries by node of t, then by image and goroutine. Corrects their times like those of
 * the nodes. A node and goroutine may have several entries. No call may be added after this. */
void goroutine_paths_sort(struct goroutine_paths *g, const struct call_tree *t);
void goroutine_paths_free(struct goroutine_paths *g);

#endif

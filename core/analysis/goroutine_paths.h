/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls and self time of each path on each goroutine. */
#ifndef GOTRACE_GORPATHS_H
#define GOTRACE_GORPATHS_H

#include "export/exports.h"

struct gorpath {
	uint64_t goid;           /* unique within its image */
	uint64_t calls, self_ns; /* calls 0: an empty slot */
	uint32_t node;           /* a path of the model; after gorpaths_sort, of the export tree */
	uint32_t image;          /* as in struct call */
};

struct gorpaths {
	struct gorpath *slots; /* a hash table; after gorpaths_sort, a list */
	size_t n_slots, n;     /* n_slots: 0 or a power of two */
};

/* Adds an ended call. 0 or -ENOMEM. */
int gorpaths_add(struct gorpaths *g, const struct call *c);
/* Makes it a list of n, by node of t, then by image and goroutine; a node and goroutine may have
 * several entries. */
void gorpaths_sort(struct gorpaths *g, const struct export_tree *t);
void gorpaths_free(struct gorpaths *g);

#endif

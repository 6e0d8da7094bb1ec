/* SPDX-License-Identifier: BSD-2-Clause */
/* What is on the chain from a node of the tree of paths up to the root. */
#ifndef GOTRACE_PATH_CHAINS_H
#define GOTRACE_PATH_CHAINS_H

#include "model/paths.h"

/* To be called for each node, after its parent; the root is its own. */
void path_chains_node(struct paths *t, uint32_t node, uint32_t parent);
/* Is a node of func at parent, or above it on its goroutine? */
bool path_chains_has(const struct paths *t, uint32_t parent, uint32_t func);
/* Above the node none is of its function, func. 0 or -ENOMEM. */
int path_chains_outermost(struct paths *t, uint32_t node, uint32_t func);
/* The go statement remembered last, in t->gos, has made its node. 0 or -ENOMEM. */
int path_chains_go(struct paths *t);
/* The node at or above parent, on whatever goroutine, that func is started by at pc, of which there
 * is one at most; 0: none. */
uint32_t path_chains_find_go(const struct paths *t, uint32_t parent, uint32_t func, uint64_t pc);

#endif

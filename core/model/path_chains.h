/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes on the chain from a node of the tree of paths up to the root. */
#ifndef GOTRACE_PATH_CHAINS_H
#define GOTRACE_PATH_CHAINS_H

#include "model/paths.h"

/* To be called for each node, after its parent; the root is its own. */
void path_chains_node(struct paths *t, uint32_t node, uint32_t parent);
/* Returns whether parent, or a node above it on its goroutine, is a node of func. */
bool path_chains_has(const struct paths *t, uint32_t parent, uint32_t func);
/* Notes that no node above `node` has its function, func. 0 or -ENOMEM. */
int path_chains_outermost(struct paths *t, uint32_t node, uint32_t func);
/* Notes that the last go statement of t->gos has made its node. 0 or -ENOMEM. */
int path_chains_go(struct paths *t);
/* Returns the node at or above parent, on any goroutine, where a go statement at pc started func.
 * There is one at most; 0: none. */
uint32_t path_chains_find_go(const struct paths *t, uint32_t parent, uint32_t func, uint64_t pc);

#endif

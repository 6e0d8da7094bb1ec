/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that code without a recorded call makes again and again, as a library's loop does. */
#ifndef GOTRACE_CALLBACK_H
#define GOTRACE_CALLBACK_H

#include "model/model.h"

#define CALLBACK_PART 4 /* one of so many calls follows another one of its goroutine */

/* Returns whether the calls of a path are callbacks. They are outermost calls, and a part of them
 * is not the first recorded call of its goroutine. A goroutine calls its own function only once. */
static inline bool is_callback(const struct path_node *node)
{
	return (!node->parent || node->go_edge) && node->again &&
	       node->again >= node->stats.calls / CALLBACK_PART;
}

#endif

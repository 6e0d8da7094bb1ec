/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites of a running process whose jumps are written together. Private to running*.c. */
#ifndef GOTRACE_RUNNING_GROUPS_H
#define GOTRACE_RUNNING_GROUPS_H

#include "attach/target/running.h"

/* Functions that have a stub at each site are recorded by these or not at all, unless traps are
 * accepted: r->whole. */
void running_mark_whole(struct running *r, const bool *in_stub);

/* The sites from i on that are patched together: up to which. */
size_t running_group_end(const struct running *r, size_t i);

/* Writes the jumps of sites [from, to), all of them or none: in_stub is cleared then. The process
 * is stopped, and nobody is in a window of these. */
void running_patch_group(struct running *r, const uint8_t *stubs, bool *in_stub, size_t from,
			 size_t to);

#endif

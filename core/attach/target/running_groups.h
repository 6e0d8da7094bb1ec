/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites of a running process whose jumps are written together. Private to running*.c. */
#ifndef GOTRACE_RUNNING_GROUPS_H
#define GOTRACE_RUNNING_GROUPS_H

#include "attach/target/running.h"

/* Sets r->whole, unless traps are accepted: functions with a stub at each site are recorded by all
 * of these or not at all. */
void running_mark_whole(struct running *r, const bool *in_stub);

/* Returns the end of the group of sites from i on that are patched together. */
size_t running_group_end(const struct running *r, size_t i);

/* Writes the jumps of all sites [from, to) or of none; then it clears in_stub. The process is
 * stopped, and no thread is in a window of these. */
void running_patch_group(struct running *r, const uint8_t *stubs, bool *in_stub, size_t from,
			 size_t to);

#endif

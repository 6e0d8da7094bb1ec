/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the goroutines that have a lane, when there are too many. Private to the timeline. */
#ifndef GOTRACE_TIMELINE_LANES_H
#define GOTRACE_TIMELINE_LANES_H

#include "export/html/timeline.h"

/* Returns the lane of a goroutine, or HASH_NONE. */
uint32_t timeline_lane_find(const struct timeline *t, uint64_t id, uint32_t image, bool system);
/* Adds a lane for a goroutine that has none. 0 or -ENOMEM */
int timeline_lane_add(struct timeline *t, uint64_t id, uint32_t image, bool system);

/*
 * Leaves out lanes until there are at most `most` spans in at most most_lanes. Lanes above the
 * quota of their go statement go first, those with the least activity before others. Without
 * `spare`, lanes within the quota go next. Pinned lanes go last. 0 or -ENOMEM
 */
int timeline_lanes_leave_out(struct timeline *t, size_t most, size_t most_lanes, bool spare);

#endif

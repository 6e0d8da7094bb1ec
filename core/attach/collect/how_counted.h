/* SPDX-License-Identifier: BSD-2-Clause */
/* How events came about, counted. */
#ifndef GOTRACE_HOW_COUNTED_H
#define GOTRACE_HOW_COUNTED_H

#include "attach/collect/collect.h"
#include "attach/kernel/costs.h"

/* Counts an event of the collector by how it came about, in class_events if that was a trap, and
 * sets it in the flags. `random` as for load_watch_count_inlined. true: an inline stub wrote it. */
bool how_counted(const struct collector_options *opt, uint64_t class_events[COST_CLASSES],
		 uint64_t *random, struct event *ev, bool has_values);

#endif

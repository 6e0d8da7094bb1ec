/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts events by the way they were recorded. */
#ifndef GOTRACE_HOW_COUNTED_H
#define GOTRACE_HOW_COUNTED_H

#include "attach/collect/collect.h"
#include "attach/kernel/costs.h"

/* Counts an event by the way it was recorded, and sets that way in its flags. Traps count in
 * class_events. `random`: as for load_watch_count_inlined. Returns true if an inline stub wrote the
 * event. */
bool how_counted(const struct collector_options *opt, uint64_t class_events[COST_CLASSES],
		 uint64_t *random, struct event *ev, bool has_values);

#endif

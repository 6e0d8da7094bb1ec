// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/how_counted.h"

#include "attach/load_watch.h"

bool how_counted(const struct collector_options *opt, uint64_t class_events[COST_CLASSES],
		 uint64_t *random, struct event *ev, bool has_values)
{
	if (EVF_HOW(ev->flags) == HOW_INLINE) {
		load_watch_count_inlined(opt->site_events, ev, 1, opt->count_each ? NULL : random);
		return true;
	}
	if (ev->kind == EV_RELEASED || ev->site >= opt->plan->n_sites)
		return false;
	unsigned class = has_values ? COST_VALUES : opt->cost_class[ev->site];

	ev->flags |= cost_class_flags(class);
	class_events[class]++;
	load_watch_count(&opt->site_events[ev->site].trapped, 1);
	return false;
}

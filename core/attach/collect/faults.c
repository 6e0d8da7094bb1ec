// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/faults.h"

bool fault_entry(const struct plan *plan, const bool *in_stub, const struct event_ext *fault,
		 struct event_ext *entry)
{
	uint32_t site = plan_missed_entry(plan, in_stub, fault->arg[0]);

	if (site == PLAN_NO_SITE)
		return false;
	*entry = (struct event_ext){ .h = fault->h };
	entry->h.site = site;
	entry->h.kind = EV_ENTRY;
	return true;
}

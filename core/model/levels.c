// SPDX-License-Identifier: BSD-2-Clause
#include "model/levels.h"

#include <string.h>

void levels_move(struct levels *l, struct level *is, struct level next, uint64_t ts_ns)
{
	/* A broken trace may run backwards. */
	if (ts_ns > l->at_ns) {
		if (l->runnable)
			l->ns[l->executing < LEVELS ? l->executing : LEVELS - 1] += ts_ns -
										    l->at_ns;
		l->at_ns = ts_ns;
	}
	l->executing += (uint64_t)next.executes - is->executes;
	l->runnable += (uint64_t)next.runnable - is->runnable;
	*is = next;
}

void levels_restart(struct levels *l, uint64_t ts_ns)
{
	memset(l->ns, 0, sizeof(l->ns));
	l->at_ns = ts_ns;
}

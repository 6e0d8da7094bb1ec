// SPDX-License-Identifier: BSD-2-Clause
#include "base/event_kinds_fixture.h"

#include <string.h>

#include "base/event_kinds.h"

unsigned event_kind_by_name(const char *name)
{
	for (unsigned k = 1; k <= EV_KIND_MAX; k++)
		if (!strcmp(event_kind_name(k), name))
			return k;
	return 0;
}

unsigned event_how_by_name(const char *name)
{
	for (unsigned how = 1; how <= HOW_MAX; how++)
		if (!strcmp(event_how_name(how), name))
			return how;
	return HOW_UNKNOWN;
}

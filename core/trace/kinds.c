// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "trace/block.h"
#include "trace/trace.h"

/* Indexed by EV_*. Text event lists and reports carry these names: append-only. */
static const char *const names[] = {
	[EV_ENTRY] = "entry",
	[EV_EXIT] = "exit",
	[EV_TAIL] = "tail",
	[EV_ENTRY_EXIT] = "entry-exit",
	[EV_ENTRY_TAIL] = "entry-tail",
	[EV_STOP] = "stop",
	[EV_RESUME] = "resume",
	[EV_CREATE] = "create",
	[EV_END] = "end",
	[EV_UNWIND] = "unwind",
	[EV_LOSS] = "loss",
	[EV_IMAGE] = "image",
	[EV_MORESTACK] = "morestack",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == EV_KIND_MAX + 1, "a name for each kind");

const char *event_kind_name(unsigned kind)
{
	return kind <= EV_KIND_MAX ? names[kind] : NULL;
}

unsigned event_kind_by_name(const char *name)
{
	for (unsigned k = 1; k <= EV_KIND_MAX; k++)
		if (!strcmp(names[k], name))
			return k;
	return 0;
}

bool event_kind_has_args(unsigned kind)
{
	return kind <= EV_KIND_MAX && (KINDS_WITH_ARGS >> kind & 1);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "base/event_kinds.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	const char *site; /* NULL: the name */
} kinds[] = {
	[EV_ENTRY] = { .name = "entry" },
	[EV_EXIT] = { .name = "exit" },
	[EV_TAIL] = { .name = "tail" },
	[EV_ENTRY_EXIT] = { "entry-exit", "entry+exit" },
	[EV_ENTRY_TAIL] = { "entry-tail", "entry+tail" },
	[EV_STOP] = { "stop", "prologue-stop" },
	[EV_RESUME] = { "resume", "prologue-resume" },
	[EV_CREATE] = { "create", "goroutine-create" },
	[EV_END] = { "end", "goroutine-end" },
	[EV_UNWIND] = { .name = "unwind" },
	[EV_LOSS] = { .name = "loss" },
	[EV_IMAGE] = { .name = "image" },
	[EV_MORESTACK] = { .name = "morestack" },
	[EV_RELEASED] = { .name = "released" },
	[EV_STATE] = { .name = "state" },
	[EV_WAKE] = { .name = "wake" },
	[EV_WINDOW] = { .name = "window" },
	[EV_SAMPLE] = { .name = "sample" },
};
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == EV_KIND_MAX + 1, "a name for each kind");

const char *event_kind_name(unsigned kind)
{
	return kind <= EV_KIND_MAX ? kinds[kind].name : NULL;
}

const char *event_kind_site(unsigned kind)
{
	if (kind == EV_WIRE_FAULT)
		return "fault";
	return kind <= EV_KIND_MAX && kinds[kind].site ? kinds[kind].site : event_kind_name(kind);
}

static const char *const hows[] = {
	[HOW_EMULATED] = "emulated", [HOW_JUMP] = "jump", [HOW_NOP] = "nop",
	[HOW_RET] = "ret",           [HOW_STEP] = "step", [HOW_INLINE] = "inline",
	[HOW_VALUES] = "values",
};
_Static_assert(sizeof(hows) / sizeof(hows[0]) == HOW_MAX + 1, "a name for each");

const char *event_how_name(unsigned how)
{
	return how <= HOW_MAX ? hows[how] : NULL;
}

const struct event_flag event_flags[] = {
	{ EVF_SYSTEM, "system" }, { EVF_ALL, "all" },     { EVF_GOEXIT, "goexit" },
	{ EVF_BEFORE, "before" }, { EVF_DOUBT, "doubt" }, { 0 },
};

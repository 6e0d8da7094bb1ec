/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of events (EV_* of bpf/event.h): names, which carry arguments; names of EVF_* flags. */
#ifndef GOTRACE_EVENT_KINDS_H
#define GOTRACE_EVENT_KINDS_H

#include <stdbool.h>

#include "bpf/event.h"

/* A bit per kind whose record is struct event_ext, 64 bytes, with arguments. */
#define EVENT_KINDS_WITH_ARGS                                                                  \
	(1u << EV_STOP | 1u << EV_RESUME | 1u << EV_CREATE | 1u << EV_UNWIND | 1u << EV_LOSS | \
	 1u << EV_RELEASED | 1u << EV_WINDOW | 1u << EV_SAMPLE)

static inline bool event_kind_has_args(unsigned kind)
{
	return kind <= EV_KIND_MAX && (EVENT_KINDS_WITH_ARGS >> kind & 1);
}

/* As in text event lists and reports: "entry", "exit", ...; stable. NULL when there is none. */
const char *event_kind_name(unsigned kind);

/* What `gotrace plan` calls a site whose probe emits that kind, EV_WIRE_FAULT included; stable.
 * NULL when there is none. */
const char *event_kind_site(unsigned kind);

/* EVF_* with their names in text event lists; ends with bit 0. */
struct event_flag {
	unsigned bit;
	const char *name;
};
extern const struct event_flag event_flags[];

/* HOW_* by name: "emulated", "step", ...; stable. NULL when there is none. */
const char *event_how_name(unsigned how);

#endif

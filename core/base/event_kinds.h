/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and arguments of kinds of events (EV_* of bpf/event.h), and names of EVF_* flags. */
#ifndef GOTRACE_EVENT_KINDS_H
#define GOTRACE_EVENT_KINDS_H

#include <stdbool.h>

#include "bpf/event.h"

/* A bit for each kind whose record is struct event_ext, 64 bytes with arguments. */
#define EVENT_KINDS_WITH_ARGS                                                                  \
	(1u << EV_STOP | 1u << EV_RESUME | 1u << EV_CREATE | 1u << EV_UNWIND | 1u << EV_LOSS | \
	 1u << EV_RELEASED | 1u << EV_WINDOW | 1u << EV_SAMPLE)

static inline bool event_kind_has_args(unsigned kind)
{
	return kind <= EV_KIND_MAX && (EVENT_KINDS_WITH_ARGS >> kind & 1);
}

/* Returns the kind's name in text event lists and reports, such as "entry" or "exit". Names are
 * stable. NULL when there is none. */
const char *event_kind_name(unsigned kind);

/* Returns the name in `gotrace plan` of a site whose probe emits that kind, also for EV_WIRE_FAULT.
 * Names are stable. NULL when there is none. */
const char *event_kind_site(unsigned kind);

/* An EVF_* flag and its name in text event lists. The list ends with bit 0. */
struct event_flag {
	unsigned bit;
	const char *name;
};
extern const struct event_flag event_flags[];

/* Returns the name of HOW_*, such as "emulated" or "step". Names are stable. NULL when there is
 * none. */
const char *event_how_name(unsigned how);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds kinds of events by their names, for tests that read lists of events. */
#ifndef GOTRACE_EVENT_KINDS_FIXTURE_H
#define GOTRACE_EVENT_KINDS_FIXTURE_H

/* Returns the kind with that name, 0 when there is none. */
unsigned event_kind_by_name(const char *name);
/* Returns the HOW_* with that name, HOW_UNKNOWN when there is none. */
unsigned event_how_by_name(const char *name);

#endif

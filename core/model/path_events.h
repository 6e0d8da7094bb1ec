/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways in which the events of each path came about. The cost of an event depends on its way.
 * The calls of a path nearly always begin in one way and end in one way. These usual events need no
 * count, because they are all events but those counted here.
 */
#ifndef GOTRACE_PATH_EVENTS_H
#define GOTRACE_PATH_EVENTS_H

#include "base/hash_index.h"
#include "model/model.h"

struct path_event_table {
	struct path_events *all;
	size_t n, cap;
	struct hash_index index; /* by path, role and way */
};

/* A role and a way in one byte. NO_EVENT: the call began or ended with another call's event, or the
 * way is not known. No code is 0. */
#define NO_EVENT 1
static inline uint8_t path_event_code(enum event_role role, unsigned how)
{
	return how ? (uint8_t)(NO_EVENT + 1 + role + ROLES * how) : NO_EVENT;
}

/* The role and the way that a code stands for. */
struct path_events path_event_of(uint32_t path, uint8_t code);
/* Counts n events of a path. 0 or -ENOMEM. */
int path_events_add_many(struct path_event_table *t, uint32_t path, uint8_t code, uint64_t n);
static inline int path_events_add(struct path_event_table *t, uint32_t path, uint8_t code)
{
	return path_events_add_many(t, path, code, 1);
}
void path_events_free(struct path_event_table *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of a store to a server: Pyroscope's push.v1.PusherService/Push, by Connect over HTTP, or
 * a Collector's /v1development/profiles. A thread takes them from the outbox in their order, up to
 * PUSH_PROFILES for a request. One that the server has taken leaves the outbox; what it could not
 * be asked about stays, and is tried again, later each time; what it refuses for good (4xx but 408
 * and 429) is given up, counted and told. Profiles of a request that a server did not take are
 * pushed one by one then.
 */
#ifndef GOTRACE_AGENT_PUSH_H
#define GOTRACE_AGENT_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/config.h"

/* A request has so many profiles at most, and so many bytes before the last one. */
#define PUSH_PROFILES 64
#define PUSH_BYTES    (1u << 20)

struct pusher;

/* What became of profiles since it was started. */
struct push_counts {
	uint64_t pushed, refused, failures; /* failures: tries */
	uint64_t pending;                   /* in the outbox now */
};

/* Copies what it needs of c. NULL (logged). */
struct pusher *pusher_start(const struct agent_config *c);
/* There is something new in the outbox. */
void pusher_wake(struct pusher *p);
struct push_counts pusher_counts(struct pusher *p);
/* Ends the thread; a push that is going on has `grace_ns` to end. */
void pusher_stop(struct pusher *p, uint64_t grace_ns);

/* The body of a request that pushes one profile: labels are an object of JSON. To be freed; NULL:
 * no memory. */
uint8_t *push_request(const char *service, const char *labels, const char *id,
		      const uint8_t *profile, size_t bytes, size_t *size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pushes profiles of a store to a server: to Pyroscope's push.v1.PusherService/Push, by Connect
 * over HTTP, or to a Collector's /v1development/profiles. A thread takes profiles from the outbox
 * in their order, up to PUSH_PROFILES for a request.
 *
 * A profile that the server has taken leaves the outbox. If the server gave no answer, the profile
 * stays, and the thread tries again, after longer and longer pauses. If the server refuses it for
 * good (4xx but 408 and 429), the thread drops it, counts it and logs it. If the server refuses a
 * request with several profiles, the thread pushes these one by one.
 */
#ifndef GOTRACE_AGENT_PUSH_H
#define GOTRACE_AGENT_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/config.h"

/* The most profiles of a request, and the most bytes before the last one. */
#define PUSH_PROFILES 64
#define PUSH_BYTES    (1u << 20)

struct pusher;

/* Counts of profiles since the start. */
struct push_counts {
	uint64_t pushed, refused, failures; /* failures: failed tries */
	uint64_t pending;                   /* in the outbox now */
};

/* Starts the thread. Copies what it needs of c. Returns NULL on error (logged). */
struct pusher *pusher_start(const struct agent_config *c);
/* Notes that the outbox has a new profile. */
void pusher_wake(struct pusher *p);
struct push_counts pusher_counts(struct pusher *p);
/* Pushes what the outbox has, for `grace_ns` at most, and ends the thread. A push that fails ends
 * it at once; the rest stays in the outbox. */
void pusher_stop(struct pusher *p, uint64_t grace_ns);

/* Returns the body of a request that pushes one profile. labels are an object of JSON. The caller
 * frees it. NULL: no memory. */
uint8_t *push_request(const char *service, const char *labels, const char *id,
		      const uint8_t *profile, size_t bytes, size_t *size);

#endif

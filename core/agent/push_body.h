/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a request that pushes several profiles. */
#ifndef GOTRACE_AGENT_PUSH_BODY_H
#define GOTRACE_AGENT_PUSH_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/store.h"

struct push_body;

/* Makes a body for a Collector of OpenTelemetry (otlp) or for Pyroscope. Returns NULL without
 * memory. */
struct push_body *push_body_new(bool otlp);
/* Adds a profile whose pprof file has these bytes. Returns 0 or -ENOMEM. For OpenTelemetry also
 * returns -EINVAL (it is no profile) or -E2BIG (it is too large). After an error no other profile
 * can be added. */
int push_body_add(struct push_body *b, const struct profile *p, const uint8_t *pprof, size_t bytes);
/* Returns an upper bound of the size so far. */
size_t push_body_size(const struct push_body *b);
/* Returns the bytes, which the body owns until it is freed. NULL: no memory. */
const uint8_t *push_body_bytes(struct push_body *b, size_t *n);
void push_body_free(struct push_body *b);

/* Returns the path to append to the server's address. */
const char *push_body_path(bool otlp);
const char *push_body_type(bool otlp);
/* Reads a Collector's answer of success, n bytes. Returns true with the reason in `why` if the
 * Collector took only some profiles. */
bool push_body_refused(bool otlp, const char *answer, size_t n, char *why, size_t size);

#endif

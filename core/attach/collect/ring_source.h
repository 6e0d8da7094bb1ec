/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of inline stubs as a source of the collector. It adds the reading of clocks to
 * rings/rings.h. */
#ifndef GOTRACE_RING_SOURCE_H
#define GOTRACE_RING_SOURCE_H

#include <stdint.h>

#include "rings/rings.h"

struct ring_source;

/* `opt`: as for rings_new, but the clock is this source's own. Returns NULL and sets errno on
 * error. */
struct ring_source *ring_source_new(const struct rings_options *opt);
void ring_source_free(struct ring_source *s);

/*
 * Begins a round. It reads the clocks and the write positions of the rings, and passes an EV_LOSS
 * for each loss to `tell`. If the clocks jumped, one EV_LOSS has a count of 0 and is for all
 * goroutines: times since the previous round are in doubt.
 *
 * Sets *complete_ns to the time up to which the rings' events are complete. The caller calls it
 * before it reads other sources. Returns 0, or the error of `tell`.
 */
int ring_source_poll(struct ring_source *s, uint64_t *complete_ns,
		     int (*tell)(void *ctx, const struct event_ext *loss), void *ctx);

/* Returns the rings, for rings_first_ns, rings_until, rings_release and the like. */
struct rings *ring_source_rings(struct ring_source *s);
const struct tsc_clock *ring_source_clock(const struct ring_source *s);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of inline stubs as one of the collector's sources: rings/rings.h with the clocks read.
 */
#ifndef GOTRACE_RING_SOURCE_H
#define GOTRACE_RING_SOURCE_H

#include <stdint.h>

#include "rings/rings.h"

struct ring_source;

/* `opt` as for rings_new; its clock is this source's own. NULL and errno. */
struct ring_source *ring_source_new(const struct rings_options *opt);
void ring_source_free(struct ring_source *s);

/*
 * Begins a round: reads the clocks, looks how far the rings were written, and tells what was lost,
 * an EV_LOSS each (with a count of 0 for all goroutines when the clocks jumped: times since the
 * round before are in doubt). *complete_ns: up to when events of the rings are complete. To be
 * called before other sources are looked at. 0 or the error of `tell`.
 */
int ring_source_poll(struct ring_source *s, uint64_t *complete_ns,
		     int (*tell)(void *ctx, const struct event_ext *loss), void *ctx);

/* For rings_first_ns, rings_until, rings_release and the like. */
struct rings *ring_source_rings(struct ring_source *s);
const struct tsc_clock *ring_source_clock(const struct ring_source *s);

#endif

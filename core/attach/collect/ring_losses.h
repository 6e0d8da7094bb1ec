/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports events that the BPF programs could not pass on. Each CPU counts its losses, and a map
 * counts them by goroutine. The programs go on counting while this code reads both. It reconciles
 * them, so that it reports each lost event exactly once.
 */
#ifndef GOTRACE_RING_LOSSES_H
#define GOTRACE_RING_LOSSES_H

#include <stdint.h>

#include "attach/probes/probes.h"

struct losses;

/* `probes` is borrowed. Returns NULL and sets errno without memory. */
struct losses *losses_new(struct probes *probes);
/*
 * Reports losses since the last call: an EV_LOSS for each goroutine, and one with EVF_ALL for
 * unknown goroutines. ts_ns and arg[0] are the first and last loss in CLOCK_MONOTONIC ns. Neither
 * is before `written_ns`, up to which the stream has been written. arg[1] is the number of losses.
 *
 * Returns 1 if a CPU is just counting a loss; then the caller calls it again, and no loss is
 * forgotten. Otherwise returns 0, or the error of `report`.
 */
int losses_take(struct losses *l, uint64_t written_ns,
		int (*report)(void *ctx, const struct event_ext *loss), void *ctx);
void losses_free(struct losses *l);

#endif

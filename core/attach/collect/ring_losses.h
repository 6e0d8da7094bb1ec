/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that the BPF programs could not hand over. Each CPU counts its losses, a map has them by
 * goroutine. Both are read while the programs go on counting, and reconciled here, so that each
 * lost event is reported exactly once.
 */
#ifndef GOTRACE_RING_LOSSES_H
#define GOTRACE_RING_LOSSES_H

#include <stdint.h>

#include "attach/probes/probes.h"

struct losses;

/* `probes` is borrowed. NULL and errno without memory. */
struct losses *losses_new(struct probes *probes);
/*
 * Reports what was lost since the last call: an EV_LOSS for each goroutine, and one with EVF_ALL
 * for losses of unknown goroutines. ts_ns and arg[0] are the first and last loss in CLOCK_MONOTONIC
 * ns, neither before `written_ns`, up to which the stream has been written; arg[1] is their number.
 * 1 when a CPU is counting one just now (call again: nothing is forgotten), 0, or the error of
 * `report`.
 */
int losses_take(struct losses *l, uint64_t written_ns,
		int (*report)(void *ctx, const struct event_ext *loss), void *ctx);
void losses_free(struct losses *l);

#endif

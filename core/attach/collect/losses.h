/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs could not hand over: each CPU counts its losses, a map says
 * whose they were. Both are read while the programs go on counting, and reconciled
 * here, so that each lost event is told of exactly once.
 */
#ifndef GOTRACE_LOSSES_H
#define GOTRACE_LOSSES_H

#include <stdint.h>

#include "attach/probes/probes.h"

struct losses;

/* `probes` is borrowed. NULL and errno without memory. */
struct losses *losses_new(struct probes *probes);
/*
 * Tells of what was lost since the last call, an EV_LOSS for each goroutine and one with EVF_ALL
 * for what is not known whose: ts_ns and arg[0] the first and last loss in CLOCK_MONOTONIC ns,
 * neither before `written_ns`, up to which the stream has been written; arg[1] their number.
 * 1 when a CPU is counting one just now (call again), 0, or the error of `tell`.
 */
int losses_take(struct losses *l, uint64_t written_ns,
		int (*tell)(void *ctx, const struct event_ext *loss), void *ctx);
void losses_free(struct losses *l);

#endif

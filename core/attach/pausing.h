/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording off and on again while the program runs, cheaply. */
#ifndef GOTRACE_PAUSING_H
#define GOTRACE_PAUSING_H

#include <stdint.h>

#include "attach/recording.h"

/*
 * From now on no call is recorded, and none is counted as lost: an inline stub costs some two
 * nanoseconds, no trap; a probe the trap that it costs. Goroutines that are created or end, panics
 * and grown stacks are recorded all the same, so that what comes later has its place.
 * Returns the time, CLOCK_MONOTONIC ns, up to which all was recorded: events stamped later are of
 * threads that were writing them, and calls open then may return unseen. From the thread that runs
 * the recording, as soon as it is prepared. Nothing is written into the trace.
 */
uint64_t pausing_pause(struct recording *r);

/* Calls are recorded again. Returns the time: events stamped later are all there. */
uint64_t pausing_resume(struct recording *r);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches recording off and on while the program runs, cheaply. */
#ifndef GOTRACE_PAUSING_H
#define GOTRACE_PAUSING_H

#include <stdint.h>

#include "attach/recording.h"

/*
 * Stops recording calls. No call counts as lost. An inline stub then costs some two nanoseconds
 * without a trap, and a probe costs its trap. The recording still includes created and ended
 * goroutines, panics and grown stacks, so that later events have their place.
 *
 * Returns the time, CLOCK_MONOTONIC ns, up to which the recording is complete. Later events come
 * from threads that were writing them, and calls open at that time may return unseen. The thread
 * that runs the recording calls it, at any time after recording_prepare. It writes nothing into the
 * trace.
 */
uint64_t pausing_pause(struct recording *r);

/* Starts recording calls again. Returns a time: all later events are recorded. */
uint64_t pausing_resume(struct recording *r);

#endif

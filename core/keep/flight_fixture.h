/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of the flight recorder as traces, for its tests. */
#ifndef GOTRACE_FLIGHT_FIXTURE_H
#define GOTRACE_FLIGHT_FIXTURE_H

#include "keep/flight.h"

/* Writes a window as a file and reads that file. `each` gets every event, with its values or NULL.
 * Asserts that the trace is complete, and has the window's number of events. */
void flight_fixture_read(const struct flight_window *w, const struct trace_info *info,
			 void (*each)(void *ctx, const struct event_ext *ev,
				      const struct trace_values *values),
			 void *ctx);

#endif

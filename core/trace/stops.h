/* SPDX-License-Identifier: BSD-2-Clause */
/* The time for which a running process was stopped for its recording. */
#ifndef GOTRACE_STOPS_H
#define GOTRACE_STOPS_H

#include <stdbool.h>

#include "trace/trace.h"

#define STOPS_BYTES 80

/* Writes the stops to attach and to detach, such as "21.0ms at most, 160ms in 18 stops" or
 * "5.00ms". Returns false when the process was not stopped, or the trace does not have its
 * stops. */
bool stops_say(const struct trace_info *t, char buf[STOPS_BYTES]);

#endif

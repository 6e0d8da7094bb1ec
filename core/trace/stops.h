/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a running process stood still for its recording. */
#ifndef GOTRACE_STOPS_H
#define GOTRACE_STOPS_H

#include <stdbool.h>

#include "trace/trace.h"

#define STOPS_BYTES 80

/* "21.0ms at most, 160ms in 18 stops", to attach and to detach, or "5.00ms". false: it was not
 * stopped, or the trace does not tell. */
bool stops_say(const struct trace_info *t, char buf[STOPS_BYTES]);

#endif

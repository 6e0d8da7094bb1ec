/* SPDX-License-Identifier: BSD-2-Clause */
/* The end record of a trace. It has the reason of the end, counts of recorded and lost events, and
 * differences from the header. */
#ifndef GOTRACE_ENDING_H
#define GOTRACE_ENDING_H

#include "attach/recording.h"

/* Adds its keys to `end` after collecting has stopped. Returns 0 or -ENOMEM. */
int ending_describe(const struct recording *r, struct trace_info *end);

#endif

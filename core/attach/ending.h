/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace says of its end: why, how many events, what was lost, what differs from its header.
 */
#ifndef GOTRACE_ENDING_H
#define GOTRACE_ENDING_H

#include "attach/recording.h"

/* Adds the end record's keys to `end`, once collecting has stopped. 0 or -ENOMEM. */
int ending_describe(const struct recording *r, struct trace_info *end);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The end record of a trace: why recording ended, what was recorded and lost, and what differs from
 * the header. */
#ifndef GOTRACE_ENDING_H
#define GOTRACE_ENDING_H

#include "attach/recording.h"

/* Adds its keys to `end`, once collecting has stopped. 0 or -ENOMEM. */
int ending_describe(const struct recording *r, struct trace_info *end);

#endif

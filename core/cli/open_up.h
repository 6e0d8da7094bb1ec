/* SPDX-License-Identifier: BSD-2-Clause */
/* What to select to see into the function that has most of the time. */
#ifndef GOTRACE_OPEN_UP_H
#define GOTRACE_OPEN_UP_H

#include <stdio.h>

#include "analysis/trace_load.h"

/* Writes a line when one function has more than half of all time as its own: the -p that shows what
 * it calls, as the binary tells, if it is still where it was recorded and the same. */
void open_up(const struct loaded_trace *t, FILE *out);

#endif

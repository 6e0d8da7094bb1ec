/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggests a selection that shows more of the function with most of the time. */
#ifndef GOTRACE_OPEN_UP_H
#define GOTRACE_OPEN_UP_H

#include <stdio.h>

#include "analysis/trace_load.h"

/* Prints a line if one function has more than half of all time as its own. The line has the -p that
 * shows its callees, by the binary. The binary must still be at its recorded place, unchanged. */
void open_up(const struct loaded_trace *t, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in which a goroutine waits in its caller's stead: those of `record --waits`. */
#ifndef GOTRACE_FOLD_WAITS_H
#define GOTRACE_FOLD_WAITS_H

#include "analysis/trace_load.h"

/*
 * Makes their calls parts of those that called them, where the trace says why goroutines wait and
 * was recorded with --waits: then its numbers are those of a trace without. Calls that nothing
 * recorded has made stay. After correction_apply. 0 or -ENOMEM.
 */
int fold_waits(struct loaded_trace *t);

#endif

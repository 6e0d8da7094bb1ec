/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of `record --waits`, in which a goroutine waits in its caller's stead. */
#ifndef GOTRACE_FOLD_WAITS_H
#define GOTRACE_FOLD_WAITS_H

#include "analysis/trace_load.h"

/*
 * Makes their calls parts of their callers, in a trace with states that was recorded with --waits.
 * The numbers then equal those of a trace without --waits. Calls without a recorded caller stay.
 * Call it after correction_apply. 0 or -ENOMEM.
 */
int fold_waits(struct loaded_trace *t);

/* Returns whether a name is that of such a function. core/plan/presets.c selects the same
 * functions. */
bool fold_waits_func(const char *name);

#endif

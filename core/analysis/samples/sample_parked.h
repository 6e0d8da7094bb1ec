/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds parked goroutines in samples, as analysis/parked.h does in events. */
#ifndef GOTRACE_SAMPLE_PARKED_H
#define GOTRACE_SAMPLE_PARKED_H

#include "analysis/samples/sample_load.h"

/*
 * Marks the groups of samples that are waits of parked goroutines (parked_rule). With leave_out,
 * which reports set, it leaves them out. Looks must show a parked goroutine over half of the
 * recording, and tell at most so many of its waits apart. A loop of its own has only functions of
 * one repository on its stack. Goroutines that only one look saw count as parked if nine of ten
 * others at their place are. If next to nothing remained, no group is marked. Call it before
 * sample_fill. 0 or -ENOMEM.
 */
int sample_parked_find(struct loaded_samples *s, const struct trace_info *info, bool leave_out);

/* Returns the line of parked_say for samples. The caller frees it. NULL when nothing is left out,
 * or without memory. */
char *sample_parked_say(const struct loaded_trace *t);

#endif

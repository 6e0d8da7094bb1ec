/* SPDX-License-Identifier: BSD-2-Clause */
/* Goroutines of samples that are parked: as analysis/parked.h, of what looks have seen. */
#ifndef GOTRACE_SAMPLE_PARKED_H
#define GOTRACE_SAMPLE_PARKED_H

#include "analysis/sample_load.h"

/*
 * Marks the groups whose samples are waits of parked goroutines, which are left out. A goroutine is
 * parked if it was seen over half of the recording, for 95 % of that waiting in one place for one
 * reason, in at most three waits. Of goroutines that were seen once, all of a place are, if nine of
 * ten that were seen there again are. Where next to nothing is left, nothing is left out. Before
 * sample_fill. 0 or -ENOMEM.
 */
int sample_parked_find(struct loaded_samples *s);

/* The line of parked_say, of samples. To be freed; NULL: nothing is left out, or no memory. */
char *sample_parked_say(const struct loaded_trace *t);

#endif

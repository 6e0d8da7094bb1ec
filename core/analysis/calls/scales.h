/* SPDX-License-Identifier: BSD-2-Clause */
/* By how much an event costs more, or less, inside the program than was measured before. */
#ifndef GOTRACE_SCALES_H
#define GOTRACE_SCALES_H

#include "analysis/calls/charges.h"

/* As the durations of calls tell it: of traces without samples of the processor time. 0 or -ENOMEM
 */
int scales_by_calls(const struct charges *c, const struct trace_info *info,
		    struct cost_scale scale[COST_FAMILIES]);

/*
 * As samples of the processor time tell it: the scales by which the charges of all paths best
 * explain the samples that were in probes. `off` is what chance makes of so many samples; how far
 * single functions are off comes on top. sampled: by path, see samples_by_path. False: there are
 * too few samples in probes to tell.
 */
bool scales_by_samples(const struct charges *c, const struct path_sampled *sampled,
		       struct cost_scale scale[COST_FAMILIES]);

/* The samples of a model, one for each of its n paths; to be freed. NULL: no memory. */
struct path_sampled *samples_by_path(const struct model *m, size_t n);

#endif

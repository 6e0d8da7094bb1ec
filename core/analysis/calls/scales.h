/* SPDX-License-Identifier: BSD-2-Clause */
/* The factors by which an event's cost inside the program differs from the measured cost. */
#ifndef GOTRACE_SCALES_H
#define GOTRACE_SCALES_H

#include "analysis/calls/charges.h"

/* Finds the scales by the durations of calls, for traces without samples of the processor time. 0
 * or -ENOMEM */
int scales_by_calls(const struct charges *c, const struct trace_info *info,
		    struct cost_scale scale[COST_FAMILIES]);

/*
 * Finds the scales by samples of the processor time. With these scales the charges of all paths
 * best explain the samples in probes. `off` is the error by chance of so many samples; the errors
 * of single functions come on top. sampled is by path, from samples_by_path. Returns false when
 * there are too few samples in probes.
 */
bool scales_by_samples(const struct charges *c, const struct path_sampled *sampled,
		       struct cost_scale scale[COST_FAMILIES]);

/* Returns the samples of a model, one element for each of its n paths; to be freed. NULL without
 * memory. */
struct path_sampled *samples_by_path(const struct model *m, size_t n);

#endif

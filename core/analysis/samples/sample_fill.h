/* SPDX-License-Identifier: BSD-2-Clause */
/* From groups of samples to the model's paths. */
#ifndef GOTRACE_SAMPLE_FILL_H
#define GOTRACE_SAMPLE_FILL_H

#include "analysis/samples/sample_load.h"

/* Makes the names and the models of t, whose samples were read from r. 0 or -errno; -E2BIG before
 * there is a model: stacks claim more functions than a recording has. */
int sample_fill(struct loaded_trace *t, const struct trace_reader *r);

#endif

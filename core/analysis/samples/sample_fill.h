/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the model's paths from groups of samples. */
#ifndef GOTRACE_SAMPLE_FILL_H
#define GOTRACE_SAMPLE_FILL_H

#include "analysis/samples/sample_load.h"

/* Makes the names and the models of t, whose samples were read from r. 0 or -errno. -E2BIG: the
 * stacks claim more functions than a recording has, and there is no model. */
int sample_fill(struct loaded_trace *t, const struct trace_reader *r);

#endif

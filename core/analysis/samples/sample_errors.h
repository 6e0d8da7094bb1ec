/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard errors of times of samples, for functions, paths and other sums of groups. */
#ifndef GOTRACE_SAMPLE_ERRORS_H
#define GOTRACE_SAMPLE_ERRORS_H

#include "analysis/samples/sample_load.h"

/* The sum of groups. Sums share memory, so one must be over before another begins. */
struct sample_sum {
	/* squares for samples that executed, and for the others, as if samples were independent */
	double run, others;
};

void sample_sum_add(struct sample_sum *sum, const struct loaded_samples *s, uint32_t group);
/* Returns the square of the standard error of the groups' weight, ns^2. Samples of running code
 * have the error of chance. Samples of waiting goroutines have the larger of that and of the error
 * by look (look_errors.h). */
double sample_sum_square(const struct sample_sum *sum, const struct loaded_samples *s);

/* Sets the errors of functions and paths in t's finished model. t's samples know how sure they are.
 * 0 or -ENOMEM. */
int sample_errors(struct loaded_trace *t, uint64_t stored_bytes);

#endif

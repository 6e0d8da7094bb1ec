/* SPDX-License-Identifier: BSD-2-Clause */
/* How sure times of samples are: standard errors of functions, paths and other sums of groups. */
#ifndef GOTRACE_SAMPLE_ERRORS_H
#define GOTRACE_SAMPLE_ERRORS_H

#include "analysis/samples/sample_load.h"

/* Of groups that are added up. A sum is over before another begins: they share memory. */
struct sample_sum {
	double run,
		others; /* squares, each sample taken for independent: of what executed, or not */
};

void sample_sum_add(struct sample_sum *sum, const struct loaded_samples *s, uint32_t group);
/* The square of the standard error of their weight, ns. Samples of running code have the error of
 * chance. Samples of what waits have the larger of that and of the error by look (look_errors.h).
 */
double sample_sum_square(const struct sample_sum *sum, const struct loaded_samples *s);

/* Gives t's model, which is finished, the errors of functions and paths. t's samples know how sure
 * they are. 0 or -ENOMEM. */
int sample_errors(struct loaded_trace *t, uint64_t stored_bytes);

#endif

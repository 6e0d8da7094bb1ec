/* SPDX-License-Identifier: BSD-2-Clause */
/* Single samples of each goroutine, and of each thread outside of goroutines. */
#ifndef GOTRACE_SAMPLE_PROFILES_H
#define GOTRACE_SAMPLE_PROFILES_H

#include "analysis/samples/sample_load.h"

/* For on_samples of a trace_watch, to have single samples. */
void sample_profiles_wanted(void *ctx, const struct loaded_trace *t);
/* Returns the number of the goroutine or thread. */
uint64_t sample_profile_id(const struct sample_group *g);
/*
 * Calls `each` with the samples of each goroutine and thread, as indices of s->singles in the order
 * of time. Leaves out samples whose functions the view leaves out. 0, -ENOMEM or the result of
 * `each`.
 */
int sample_profiles(const struct loaded_samples *s,
		    int (*each)(void *ctx, const uint32_t *singles, size_t n), void *ctx);

#endif

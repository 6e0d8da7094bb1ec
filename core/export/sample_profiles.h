/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples one by one, those of each goroutine, and of each thread outside of any, by themselves. */
#ifndef GOTRACE_SAMPLE_PROFILES_H
#define GOTRACE_SAMPLE_PROFILES_H

#include "analysis/samples/sample_load.h"

/* Goes as on_samples of a trace_watch: asks for samples one by one. */
void sample_profiles_wanted(void *ctx, const struct loaded_trace *t);
/* The goroutine's number, or the thread's. */
uint64_t sample_profile_id(const struct sample_group *g);
/*
 * Calls back with the samples of each goroutine and thread, which are numbers of s->singles, in the
 * order of time; without those that the view leaves out for their functions. 0, -ENOMEM or what the
 * callback returned.
 */
int sample_profiles(const struct loaded_samples *s,
		    int (*each)(void *ctx, const uint32_t *singles, size_t n), void *ctx);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording of samples sleeps on between two looks. */
#ifndef GOTRACE_SAMPLE_WAITING_H
#define GOTRACE_SAMPLE_WAITING_H

#include "attach/sample/sampling.h"

/*
 * Until that moment, or until before it a signal comes, a target ends, the samples' ring is a
 * quarter full or a sampled process begins, forks or maps something: of the last at most once in a
 * millisecond, and within 10 ms if the kernel cannot tell.
 */
void sampling_wait_until(struct sampling *s, uint64_t until_ns);

#endif

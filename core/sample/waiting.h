/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeps between two looks of a recording of samples. */
#ifndef GOTRACE_SAMPLE_WAITING_H
#define GOTRACE_SAMPLE_WAITING_H

#include "sample/sampling.h"

/*
 * Sleeps until until_ns. It wakes earlier for a signal, for the end of a target, and when the
 * samples' ring is a quarter full. It also wakes when a sampled process begins, forks or maps
 * something. Those wake-ups come at most once in a millisecond. If the kernel cannot report them,
 * it returns within 10 ms.
 */
void sampling_wait_until(struct sampling *s, uint64_t until_ns);

#endif

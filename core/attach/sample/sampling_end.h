/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/attach/sample. */
#ifndef GOTRACE_SAMPLING_END_H
#define GOTRACE_SAMPLING_END_H

#include "attach/sample/sampling.h"

/* How it ended, how many samples there are and what is missing, as keys of the trace. 0 or
 * -ENOMEM. */
int sampling_describe_end(struct sampling *s);
/* Names of what has ended are looked up while its files are open, which they are no longer then. 0
 * or -errno. */
int sampling_name_ended(struct sampling *s);
/* The next trace begins: what it says is its own. */
void sampling_count_anew(struct sampling *s);

/* However much it takes: who keeps traces has at most one a second. */
#define STRETCH_LEAST_NS 1000000000ull

/* This trace takes no more: its tables have twice what they may. */
bool sampling_is_full(const struct sampling *s);
/* For one more sample; else it counts as lost. */
bool sampling_has_room(struct sampling *s);
/* Ends this trace (`cut`) if it, or what is known of processes, takes what it may, and it is
 * STRETCH_LEAST_NS old. Samples without room count as lost until then. */
void sampling_cut_for_room(struct sampling *s, uint64_t now_ns);

/* That moment of CLOCK_MONOTONIC in CLOCK_REALTIME, as it is set now. */
uint64_t sampling_real_ns(uint64_t monotonic_ns);

#endif

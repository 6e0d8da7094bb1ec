/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/sample. */
#ifndef GOTRACE_SAMPLING_END_H
#define GOTRACE_SAMPLING_END_H

#include "sample/sampling.h"

/* Sets keys of the trace: how the recording ended, the number of samples, and what is missing.
 * Returns 0 or -ENOMEM. */
int sampling_describe_end(struct sampling *s);
/* Looks up names of ended processes while their files are open, then closes the files. Returns 0 or
 * -errno. */
int sampling_name_ended(struct sampling *s);
/* Sets the counters to 0 for the next trace. */
void sampling_count_anew(struct sampling *s);

/* The least duration of a trace, whatever memory it takes. An owner of stretches gets at most one a
 * second. */
#define STRETCH_LEAST_NS 1000000000ull

/* Returns true if the tables of this trace take twice the permitted memory. Then it accepts no
 * sample. */
bool sampling_is_full(const struct sampling *s);
/* Returns true if the trace has room for one more sample. If not, counts the sample as lost. */
bool sampling_has_room(struct sampling *s);
/* Ends this trace (`cut`) if its tables or the data on processes take all permitted memory. The
 * trace must be STRETCH_LEAST_NS old. Samples without room count as lost until then. */
void sampling_cut_for_room(struct sampling *s, uint64_t now_ns);

/* Converts a time of CLOCK_MONOTONIC to CLOCK_REALTIME by the present difference of the clocks. */
uint64_t sampling_real_ns(uint64_t monotonic_ns);

#endif

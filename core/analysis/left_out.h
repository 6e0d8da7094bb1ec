/* SPDX-License-Identifier: BSD-2-Clause */
/* What the recorder was told to leave out: --trigger, --one-in, --depth, --delay, --toggle. */
#ifndef GOTRACE_LEFT_OUT_H
#define GOTRACE_LEFT_OUT_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* How many times as much there was as is in the trace; 1: all, or it is not known. */
double left_out_scale(const struct trace_info *info);
/* A count or a time of the trace with what --one-in left out: an estimate, of calls kept at random.
 */
uint64_t left_out_all(const struct trace_info *info, uint64_t n);
/* Lines that say what is not in the trace. */
void left_out_notes(const struct loaded_trace *trace, struct notes *to);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect of the recorder's options that leave things out: --trigger, --one-in, --depth,
 * --delay, --toggle. */
#ifndef GOTRACE_LEFT_OUT_H
#define GOTRACE_LEFT_OUT_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* Returns how many times as much there was as is in the trace. 1: the trace has everything, or it
 * is not known. */
double left_out_scale(const struct trace_info *info);
/* Returns a count or a time with an estimate of the part that --one-in left out. It kept calls at
 * random. */
uint64_t left_out_all(const struct trace_info *info, uint64_t n);
/* Adds lines on the parts that are not in the trace. */
void left_out_notes(const struct loaded_trace *trace, struct notes *to);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the recorded functions on the stack of a thread that a clock interrupted. */
#ifndef GOTRACE_STACK_FUNCS_H
#define GOTRACE_STACK_FUNCS_H

#include "attach/probe_places.h"
#include "bpf/event.h"

#define SAMPLED_FUNCS 3

/*
 * Fills in funcs with functions by their numbers in the trace plus 1; 0 means none. funcs[0] is the
 * innermost recorded function: the thread is in its code or in code that it calls. Its recorded
 * callers follow. The walk uses the binary's pcsp tables. It ends with the record's stack, or at
 * the first frame that the tables do not know.
 */
void stack_funcs(const struct probe_places *p, uint64_t text_bias,
		 const struct cpu_sample_record *record, uint32_t funcs[SAMPLED_FUNCS]);

#endif

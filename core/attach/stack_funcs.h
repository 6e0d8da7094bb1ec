/* SPDX-License-Identifier: BSD-2-Clause */
/* The recorded functions on the stack of a thread that a clock interrupted. */
#ifndef GOTRACE_STACK_FUNCS_H
#define GOTRACE_STACK_FUNCS_H

#include "attach/probe_places.h"
#include "bpf/event.h"

#define SAMPLED_FUNCS 3

/*
 * funcs[0]: the innermost recorded function whose code the thread is in, or in what that calls,
 * then its recorded callers: as the trace numbers functions, plus 1; 0: none was found. By the
 * binary's pcsp tables, as far as the record's stack reaches and up to the first frame that they
 * do not know.
 */
void stack_funcs(const struct probe_places *p, uint64_t text_bias,
		 const struct cpu_sample_record *record, uint32_t funcs[SAMPLED_FUNCS]);

#endif

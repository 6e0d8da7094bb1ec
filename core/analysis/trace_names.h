/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions and source locations of a trace. */
#ifndef GOTRACE_TRACE_NAMES_H
#define GOTRACE_TRACE_NAMES_H

#include "model/model.h"

/* Formats that have only frames put one between a go statement's function and the goroutine's first
 * function. It is this text and the first function's name. There is no blank between, because some
 * readers of folded stacks (Perun) take it for the end of the frames. */
#define GO_FRAME "[go]"

/* Returns the display name of a function's index or of PATH_*. */
const char *trace_name_func(const struct trace_info *info, uint32_t func);
/* Returns the name of a go statement's frame: "[go]main.worker". The caller frees it. NULL without
 * memory. */
char *trace_name_go(const struct trace_info *info, uint32_t func);
/* Returns the name of the function at pc, "" when not known. */
const char *trace_name_at(const struct trace_info *info, uint64_t pc);
/* Writes "/src/main.go:12" for pc, "" when not known. `base` leaves out the folders. buf has at
 * least 512 bytes. */
const char *trace_name_line(const struct trace_info *info, uint64_t pc, bool base, char *buf,
			    size_t size);
/* Returns the name of the goroutine's first function, "" when not known. */
const char *trace_name_start(const struct trace_info *info, const struct goroutine_info *g);

#endif

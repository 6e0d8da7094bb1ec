/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions and source locations, as a trace has them. */
#ifndef GOTRACE_TRACE_NAMES_H
#define GOTRACE_TRACE_NAMES_H

#include "model/model.h"

/* Formats that have nothing but frames put one between a go statement's function and the
 * goroutine's first: this, and the first one's name. No blank is between, which some readers of
 * folded stacks (Perun) take for the end of the frames. */
#define GO_FRAME "[go]"

/* Display name of a function's index or of PATH_*. */
const char *trace_name_func(const struct trace_info *info, uint32_t func);
/* Of the frame of a go statement: "[go]main.worker". To be freed; NULL: no memory. */
char *trace_name_go(const struct trace_info *info, uint32_t func);
/* The function's name at pc, "" when not known. */
const char *trace_name_at(const struct trace_info *info, uint64_t pc);
/* "/src/main.go:12" of pc, "" when not known; `base`: without the folders. buf is at least 512
 * bytes. */
const char *trace_name_line(const struct trace_info *info, uint64_t pc, bool base, char *buf,
			    size_t size);
/* What the goroutine began with, "" when not known. */
const char *trace_name_start(const struct trace_info *info, const struct goroutine_info *g);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of source at which functions of a trace call each other. */
#ifndef GOTRACE_CALL_LINES_H
#define GOTRACE_CALL_LINES_H

#include "trace/trace.h"

struct call_lines;

/* Reads them from the program's machine code. info is borrowed and must not shrink. NULL: the
 * program is gone or another one, or there is no memory. */
struct call_lines *call_lines_open(const struct trace_info *info);

/* export_options.call_line, with a struct call_lines as its context. */
uint32_t call_lines_find(void *lines, uint32_t caller, uint32_t callee);

void call_lines_free(struct call_lines *l);

#endif

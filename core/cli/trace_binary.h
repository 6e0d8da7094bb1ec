/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of a trace, where it is still at its recorded place. */
#ifndef GOTRACE_TRACE_BINARY_H
#define GOTRACE_TRACE_BINARY_H

#include "binary/gobin.h"
#include "trace/trace.h"

/* Opens the program's file. Returns NULL without a log line when it is gone, is another one, or
 * cannot be read. The caller closes it. */
struct gobin *trace_binary_open(const struct trace_info *info);

#endif

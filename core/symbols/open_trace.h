/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens traces and gives their addresses names, when they are read or before their writing ends. */
#ifndef GOTRACE_OPEN_TRACE_H
#define GOTRACE_OPEN_TRACE_H

#include "symbols/symbols.h"

/* Opens a trace like trace_reader_open. A trace has no names of samples' addresses when its
 * recorder was killed. It then looks them up in files of the same build id that are still there. */
struct trace_reader *open_trace(const char *path);
/* Does as open_trace for an open file, and takes it over even on failure. name is for messages. */
struct trace_reader *open_trace_fd(int fd, const char *name);

/* Writes the names of the addresses of the samples that w got on this machine. The caller calls it
 * while processes and files are there. opt has `here`. Returns 0 or -errno (logged). */
int trace_writer_resolve(struct trace_writer *w, const struct symbols_options *opt,
			 struct symbols_counts *counts);

#endif

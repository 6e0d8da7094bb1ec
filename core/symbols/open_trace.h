/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces whose addresses get names as they are read, or before their writing ends. */
#ifndef GOTRACE_OPEN_TRACE_H
#define GOTRACE_OPEN_TRACE_H

#include "symbols/symbols.h"

/* As trace_reader_open. Addresses of samples that the trace does not tell of, because its recorder
 * was killed, are looked up in files of the same build id where these are still there. */
struct trace_reader *open_trace(const char *path);
/* The same of an open file, which is taken over even on failure; name: for messages. */
struct trace_reader *open_trace_fd(int fd, const char *name);

/* Writes the names of the addresses of the samples that w was given on this machine: to be called
 * while processes and files are there. opt: with `here`. 0 or -errno (logged). */
int trace_writer_resolve(struct trace_writer *w, const struct symbols_options *opt,
			 struct symbols_counts *counts);

#endif

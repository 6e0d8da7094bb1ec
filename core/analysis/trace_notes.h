/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes on a trace that a reader needs before trusting its numbers. */
#ifndef GOTRACE_TRACE_NOTES_H
#define GOTRACE_TRACE_NOTES_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* Adds notes on the traced program, its end, and what was not traced or lost. The last line is
 * always about losses. 0 or -ENOMEM; notes_free in either case. */
int trace_notes(const struct loaded_trace *trace, struct notes *to);
/* Adds the few most important notes: the length of the recording, parts left out, its end, the
 * program's slowdown, losses. Not for samples. Errors as above. */
int trace_notes_main(const struct loaded_trace *trace, struct notes *to);

/* Returns whether most goroutines without a recorded call belong to the runtime, as far as it is
 * known. */
bool trace_idlers_of_runtime(const struct loaded_trace *trace);

#endif

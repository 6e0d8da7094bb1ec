/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reader must know of a trace before trusting its numbers. */
#ifndef GOTRACE_TRACE_NOTES_H
#define GOTRACE_TRACE_NOTES_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* Adds what was traced, how it ended, what was not traced or lost; the last line is always about
 * what was lost. 0 or -ENOMEM; notes_free in either case. */
int trace_notes(const struct loaded_trace *trace, struct notes *to);
/* The few that matter most: how much was recorded, what is left out, how recording ended, how much
 * slower the program was, what was lost. Not of samples. Errors as above. */
int trace_notes_main(const struct loaded_trace *trace, struct notes *to);

/* Are most goroutines without a recorded call the runtime's, as far as it is known? */
bool trace_idlers_of_runtime(const struct loaded_trace *trace);

#endif

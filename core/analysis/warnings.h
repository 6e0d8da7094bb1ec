/* SPDX-License-Identifier: BSD-2-Clause */
/* The reasons why numbers of a trace may be wrong or incomplete, as sentences. A report for people
 * has them among its notes, at their places. Another format gets them all. */
#ifndef GOTRACE_WARNINGS_H
#define GOTRACE_WARNINGS_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* Returns whether the trace has the recording's end. Only then it knows its losses and what did not
 * run. */
bool trace_reached_end(const struct loaded_trace *trace);
/* Adds that the trace was cut short. */
void warnings_of_end(const struct loaded_trace *trace, struct notes *to);
/* Adds images that were executed unseen. */
void warnings_of_images(const struct loaded_trace *trace, struct notes *to);
/* Adds dropped probe hits. Returns whether there were any. */
bool warnings_of_drops(const struct loaded_trace *trace, struct notes *to);
/* Adds events that make no sense. */
void warnings_of_events(const struct loaded_trace *trace, struct notes *to);
/* Adds lost events and suspect calls, or that there are none. any_dropped: the result of
 * warnings_of_drops. */
void warnings_of_losses(const struct loaded_trace *trace, bool any_dropped, struct notes *to);

/* Returns whether it is a warning of the recording by which numbers may be wrong. */
bool warnings_include(const struct trace_kv *kv);

/* Adds all of these and warnings of the recording. Adds nothing where numbers are sure. */
void warnings_all(const struct loaded_trace *trace, struct notes *to);
/* Logs all warnings, once for a trace and an output. 0 or -ENOMEM (logged). */
int warnings_log(const struct loaded_trace *trace);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Why numbers of a trace may be wrong or not all: a sentence each. Who reads a report for people
 * finds them among its notes, in their places; who reads another format gets them all. */
#ifndef GOTRACE_WARNINGS_H
#define GOTRACE_WARNINGS_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* Whether the recording's end is in the trace: then it knows what was lost, and what did not run.
 */
bool trace_reached_end(const struct loaded_trace *trace);
/* It was cut short. */
void warnings_of_end(const struct loaded_trace *trace, struct notes *to);
/* Images that were executed unseen. */
void warnings_of_images(const struct loaded_trace *trace, struct notes *to);
/* Probe hits that were dropped; whether there were any. */
bool warnings_of_drops(const struct loaded_trace *trace, struct notes *to);
/* Events that make no sense. */
void warnings_of_events(const struct loaded_trace *trace, struct notes *to);
/* Lost events and suspect calls, or that there are none; any_dropped: of warnings_of_drops. */
void warnings_of_losses(const struct loaded_trace *trace, bool any_dropped, struct notes *to);

/* Is it a warning of the recording for which numbers may be wrong? */
bool warnings_include(const struct trace_kv *kv);

/* All of these and warnings of the recording: none where numbers are sure. */
void warnings_all(const struct loaded_trace *trace, struct notes *to);
/* Logs them, once for a trace and an output. 0 or -ENOMEM (logged). */
int warnings_log(const struct loaded_trace *trace);

#endif

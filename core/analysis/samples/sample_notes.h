/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes on a trace of samples. They report its contents, the parts that are missing, and how sure
 * its shares are. */
#ifndef GOTRACE_SAMPLE_NOTES_H
#define GOTRACE_SAMPLE_NOTES_H

#include "analysis/notes.h"
#include "analysis/samples/sample_load.h"

/* Adds the first note, which heads a report: "1,000 samples of cpu-clock at 99 Hz, ..." */
void sample_headline(const struct loaded_trace *t, struct notes *to);
/* Adds "programs: compile 96.8%, go 1.8%, link 1.4%" as a separate note. Adds nothing for one
 * program. */
void sample_programs_note(const struct loaded_trace *t, struct notes *to);
/* Adds, where many stacks end too early, their number and the reason. This note stands beside the
 * first. */
void sample_unreadable(const struct loaded_trace *t, struct notes *to);
/* Adds the other notes. */
void sample_notes(const struct loaded_trace *t, struct notes *to);
/* Returns a share in per cent, of the weight that counts, or of samples where none has weight. */
double sample_pct(const struct loaded_trace *t, uint64_t weight_ns, uint64_t samples);
/* Returns the name of the event that weights count; NULL when they are nanoseconds. */
const char *sample_counted(const struct trace_info *i);
/* Returns whose time the samples of a recording with --wall are: "goroutines", "threads" or
 * both. */
const char *sample_lives(const struct trace_info *i);

/* Returns the standard error for its square. */
double sample_error_ns(double square_ns2);
/* Returns whether a weight rests on one sighting, or on a few of which one counts for nearly
 * all. */
bool sample_is_single(uint64_t weight_ns, double square_ns2);

#endif

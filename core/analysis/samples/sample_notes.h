/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of a trace of samples: what it is, what is missing in it, how sure its shares are.
 */
#ifndef GOTRACE_SAMPLE_NOTES_H
#define GOTRACE_SAMPLE_NOTES_H

#include "analysis/notes.h"
#include "analysis/samples/sample_load.h"

/* The first of them, which heads a report: "1,000 samples of cpu-clock at 99 Hz, ..." */
void sample_headline(const struct loaded_trace *t, struct notes *to);
/* "programs: compile 96.8%, go 1.8%, link 1.4%"; nothing where there is one. It stands beside. */
void sample_programs_note(const struct loaded_trace *t, struct notes *to);
/* Where many stacks end too early: how many, and why. It stands beside the first. */
void sample_unreadable(const struct loaded_trace *t, struct notes *to);
/* The others. */
void sample_notes(const struct loaded_trace *t, struct notes *to);
/* Share of all that counts, in per cent: of weight, or of samples where none has any. */
double sample_pct(const struct loaded_trace *t, uint64_t weight_ns, uint64_t samples);
/* What weights count, when that is no time: the event's name; NULL: they are nanoseconds. */
const char *sample_counted(const struct trace_info *i);
/* Whose time samples of a recording with --wall stand for: "goroutines", "threads" or both. */
const char *sample_lives(const struct trace_info *i);

/* The standard error, of its square. */
double sample_error_ns(double square_ns2);
/* Whether a weight rests on one sighting, or on a few of which one counts for nearly all. */
bool sample_is_single(uint64_t weight_ns, double square_ns2);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies samples of traces into another trace, for example samples of some processes, or several
 * traces one after the other. Processes, images and symbols that several traces have are written
 * once. */
#ifndef GOTRACE_SAMPLE_COPY_H
#define GOTRACE_SAMPLE_COPY_H

#include "trace/samples.h"

struct sample_copy;

/* Selects the samples to copy. */
struct sample_copy_options {
	/* Returns whether to copy a process, whose number is that in the trace read; NULL: all
	 * processes. */
	bool (*process)(void *ctx, uint32_t number, const struct sample_process *p);
	void *ctx;
	/* CLOCK_MONOTONIC; to_ns 0 is the end */
	uint64_t from_ns, to_ns;
	/* Has the texts of the reasons (KEY_STATES_REASON) of each source, which keep their
	 * numbers. NULL: the keys of each source before its first sample are used. */
	const struct trace_info *reasons;
};

/* Sums for the end record, of the samples copied and of the losses that the sources report. */
struct sample_copy_counts {
	uint64_t samples;
	/* sums of samples that executed, and of those that did not */
	uint64_t weight_ns, waiting_ns;
	uint64_t lost;   /* KEY_END_SAMPLES_LOST of the sources */
	bool incomplete; /* one source has no end record */
};

/* Sets the keys that a source has before its samples, as far as they hold for a copy. waiting: some
 * samples did not execute. 0 or -ENOMEM. */
int sample_copy_head(struct trace_info *to, const struct trace_info *from, bool waiting);
/* Borrows w. NULL when there is no memory (logged). */
struct sample_copy *sample_copy_new(struct trace_writer *w, const struct sample_copy_options *opt);
/* Copies r up to its end. Sources must come in the order of time. 0 or -errno (logged) */
int sample_copy_add(struct sample_copy *c, struct trace_reader *r);
/* Returns whether the last source could not be read. Then the copy has a part of it, and must be
 * made anew without it. False after other errors. */
bool sample_copy_bad_source(const struct sample_copy *c);
/* Sets the keys with the texts of the copied reasons. Each text has one number, whatever number its
 * source used. 0 or -ENOMEM. */
int sample_copy_reasons(const struct sample_copy *c, struct trace_info *to);
/* Writes the symbols. To be called last. 0 or -errno (logged). */
int sample_copy_end(struct sample_copy *c, struct sample_copy_counts *counts);
void sample_copy_free(struct sample_copy *c);

#endif

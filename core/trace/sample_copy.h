/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of traces into another one: some of one's processes, or several traces one after the
 * other. Processes, images, symbols that several of them have are told of once. */
#ifndef GOTRACE_SAMPLE_COPY_H
#define GOTRACE_SAMPLE_COPY_H

#include "trace/samples.h"

struct sample_copy;

/* What of the traces is wanted. */
struct sample_copy_options {
	/* NULL: all processes. number: in the trace that is read */
	bool (*process)(void *ctx, uint32_t number, const struct sample_process *p);
	void *ctx;
	/* CLOCK_MONOTONIC; to_ns 0: the end */
	uint64_t from_ns, to_ns;
	/* has the texts of the reasons (KEY_STATES_REASON) of each source, which keep their
	 * numbers; NULL: what the source says before its first sample */
	const struct trace_info *reasons;
};

/* The sums of what it has copied, and of what its sources say that they lack: for the end record.
 */
struct sample_copy_counts {
	uint64_t samples;
	uint64_t weight_ns, waiting_ns; /* of what executed, and of what did not */
	uint64_t lost;                  /* KEY_END_SAMPLES_LOST of the sources */
	bool incomplete;                /* one of them has no end */
};

/* Sets what a source says of itself before its samples, as far as it holds of a copy. waiting:
 * there are samples of what did not execute. 0 or -ENOMEM. */
int sample_copy_head(struct trace_info *to, const struct trace_info *from, bool waiting);
/* w is borrowed. NULL: -ENOMEM (logged). */
struct sample_copy *sample_copy_new(struct trace_writer *w, const struct sample_copy_options *opt);
/* Reads r to its end. In the order of time. 0 or -errno (logged) */
int sample_copy_add(struct sample_copy *c, struct trace_reader *r);
/* The source that was added last cannot be read: the copy has a part of it, and is to be made anew
 * without it. False: it is not the source that failed. */
bool sample_copy_bad_source(const struct sample_copy *c);
/* Sets the keys that name the reasons of what was copied: each text has one number, whatever it had
 * in its source. 0 or -ENOMEM. */
int sample_copy_reasons(const struct sample_copy *c, struct trace_info *to);
/* Writes the symbols: the last thing. 0 or -errno (logged). */
int sample_copy_end(struct sample_copy *c, struct sample_copy_counts *counts);
void sample_copy_free(struct sample_copy *c);

#endif

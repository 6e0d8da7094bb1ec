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
};

/* The sums of what it has copied, and of what its sources say that they lack: for the end record.
 */
struct sample_copy_counts {
	uint64_t samples, weight_ns; /* copied */
	uint64_t lost;               /* KEY_END_SAMPLES_LOST of the sources */
	bool incomplete;             /* one of them has no end */
};

/* w is borrowed. NULL: -ENOMEM (logged). */
struct sample_copy *sample_copy_new(struct trace_writer *w, const struct sample_copy_options *opt);
/* Reads r to its end. In the order of time. 0 or -errno (logged) */
int sample_copy_add(struct sample_copy *c, struct trace_reader *r);
/* Writes the symbols: the last thing. 0 or -errno (logged). */
int sample_copy_end(struct sample_copy *c, struct sample_copy_counts *counts);
void sample_copy_free(struct sample_copy *c);

#endif

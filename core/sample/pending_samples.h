/* SPDX-License-Identifier: BSD-2-Clause */
/* Goroutines or threads that snapshots have seen, before they go into the trace. While one stays
 * unchanged, its samples become one sample. */
#ifndef GOTRACE_PENDING_SAMPLES_H
#define GOTRACE_PENDING_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/samples.h"

/* Fields have the meanings of struct sample. A change may have happened at any moment since the
 * previous look. So the error of the weight may be the whole weight. While nothing changes, only
 * the number of goroutines that one stands for is uncertain. */
struct pending_sample {
	uint64_t goid, weight_ns, ts_ns; /* weight_ns 0: the trace has all of it */
	double square_ns2;               /* square of the error of weight_ns */
	float stands_for;                /* number of goroutines or threads, itself included */
	uint32_t stack, tid;
	uint8_t state, reason;
	uint64_t mark; /* changes when it runs; 0 if not known */
};

struct pending_samples {
	uint32_t process;          /* given: number of the process in the trace */
	struct trace_writer *to;   /* given, borrowed */
	struct pending_sample *at; /* by the number that the caller gives to each */
	size_t cap;
	uint32_t *held; /* numbers with unwritten weight */
	size_t n_held, cap_held;
	uint64_t written; /* number of written samples */
};

/* Makes room for numbers below n. New entries are zero. Returns 0 or -ENOMEM. */
int pending_samples_reserve(struct pending_samples *l, size_t n);
/* Adds a look at number i, for which there is room. square_ns2 of `now` is ignored. Returns 0 or
 * -errno of the trace. */
int pending_samples_hold(struct pending_samples *l, uint32_t i, const struct pending_sample *now);
/* Writes all unwritten samples. Returns 0 or -errno of the trace. */
int pending_samples_flush(struct pending_samples *l);
/* Drops all that was seen and starts another trace, which has no stacks yet. */
void pending_samples_again(struct pending_samples *l, struct trace_writer *to);
void pending_samples_free(struct pending_samples *l);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What snapshots have seen of the goroutines or threads of a process, on its way into the trace:
 * while one stays as it is, its samples become one. */
#ifndef GOTRACE_PENDING_SAMPLES_H
#define GOTRACE_PENDING_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/samples.h"

/* As in struct sample. What is seen for the first time may have begun or ended at any moment
 * since the look before: its weight may be off by all of it. While it stays as it is, only those
 * are guessed that it stands for. */
struct pending_sample {
	uint64_t goid, weight_ns, ts_ns; /* weight_ns 0: all of it is in the trace */
	double square_ns2;               /* of the error of weight_ns */
	float stands_for;                /* this one, among as many as it */
	uint32_t stack, tid;
	uint8_t state, reason;
	uint64_t mark; /* another one: it ran since; 0: not known */
};

struct pending_samples {
	uint32_t process;          /* given: its number in the trace */
	struct trace_writer *to;   /* given, borrowed */
	struct pending_sample *at; /* by the number that whoever looks gives to each */
	size_t cap;
	uint32_t *held; /* those with something to be written */
	size_t n_held, cap_held;
	uint64_t written; /* samples */
};

/* Makes room for numbers below n; what is new is zero. 0 or -ENOMEM. */
int pending_samples_reserve(struct pending_samples *l, size_t n);
/* Number i, which there is room for, was seen like this (square_ns2 is not asked for). 0 or -errno
 * of the trace. */
int pending_samples_hold(struct pending_samples *l, uint32_t i, const struct pending_sample *now);
/* Writes what is held. 0 or -errno of the trace. */
int pending_samples_flush(struct pending_samples *l);
/* What was seen is forgotten: another trace is written from now on, which knows no stacks yet. */
void pending_samples_again(struct pending_samples *l, struct trace_writer *to);
void pending_samples_free(struct pending_samples *l);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the places where the threads and goroutines of a stopped process will continue. Code that
 * changes the text must not change instructions in the middle of execution.
 *
 * Calls return to addresses that no window contains. So this code finds other places: registers of
 * threads, registers that the kernel saved before it called a signal handler, and goroutines that
 * Go preempted by a signal. runtime.asyncPreempt has their place as its return address. The result
 * may have too many places, but never too few, because each word of asyncPreempt's frame counts.
 */
#ifndef GOTRACE_WHEREABOUTS_H
#define GOTRACE_WHEREABOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target/threads.h"
#include "binary/gobin.h"

struct code_range {
	uint64_t start, bytes;
};

/* Run-time addresses throughout. */
struct whereabouts_options {
	const struct golayout *layout;
	uint64_t allgs; /* address of the slice of all goroutines, or 0 to ignore them */
	struct code_range preempt, preempt2; /* runtime.asyncPreempt, asyncPreempt2 */
	uint64_t text;                       /* address of the first bit in `inside` */
	uint64_t text_bytes;                 /* number of bits */
	const uint8_t *inside;       /* a bit for each byte of text; 1: threads there matter */
	uint64_t stubs, stubs_bytes; /* all threads here matter */
};

struct whereabouts {
	pid_t pid;
	uint64_t until_ns; /* end of the present look */
	/* ascending */
	uint64_t *at;
	size_t n, cap;
	/* All goroutines of the last look, ascending; kept for the next look. */
	uint64_t *goroutines;
	size_t n_goroutines, cap_goroutines;
	/* scratch memory */
	uint8_t *bytes;
	size_t cap_bytes;
};

/* Reads the list of goroutines while the process may run, so that whereabouts_find has less to do.
 * Returns 0 or -errno. -ETIMEDOUT: its memory does not answer. */
int whereabouts_prepare(struct whereabouts *w, pid_t pid, const struct whereabouts_options *opt);

/* Finds the places. All threads are stopped. Returns 0 or -errno, as above; then the places are not
 * known. */
int whereabouts_find(struct whereabouts *w, const struct threads *t,
		     const struct whereabouts_options *opt);

/* Returns true if a place is in [from, to). */
bool whereabouts_between(const struct whereabouts *w, uint64_t from, uint64_t to);

void whereabouts_free(struct whereabouts *w);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the threads and goroutines of a stopped process will go on: whoever changes its text must
 * not change what one of them is in the middle of.
 *
 * Calls return to addresses that no window holds inside, so this looks for what goes on
 * elsewhere: the registers of threads, those that the kernel saved before it called a signal
 * handler, and goroutines that Go preempted by a signal (runtime.asyncPreempt has where it came
 * from as its return address). What is found may be too much, never too little: each word of
 * asyncPreempt's frame counts.
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
	uint64_t allgs; /* of the slice of all goroutines; 0: they do not matter */
	struct code_range preempt, preempt2; /* runtime.asyncPreempt, asyncPreempt2 */
	uint64_t text;                       /* of the bit in `inside`; */
	uint64_t text_bytes;                 /* how many there are */
	const uint8_t *inside;               /* a bit a byte of text: it matters who is there */
	uint64_t stubs, stubs_bytes;         /* everyone who is here matters */
};

struct whereabouts {
	pid_t pid;
	uint64_t until_ns; /* of the look that goes on */
	/* ascending */
	uint64_t *at;
	size_t n, cap;
	/* all goroutines as of the last look, ascending; kept from one look to the next */
	uint64_t *goroutines;
	size_t n_goroutines, cap_goroutines;
	/* scratch memory */
	uint8_t *bytes;
	size_t cap_bytes;
};

/* Reads the list of goroutines, while the process may run: whereabouts_find has less to do then. 0
 * or -errno; -ETIMEDOUT: its memory does not answer. */
int whereabouts_prepare(struct whereabouts *w, pid_t pid, const struct whereabouts_options *opt);

/* With all threads stopped. 0 or -errno, as above: what matters is not known then. */
int whereabouts_find(struct whereabouts *w, const struct threads *t,
		     const struct whereabouts_options *opt);

/* Whether somebody is in [from, to). */
bool whereabouts_between(const struct whereabouts *w, uint64_t from, uint64_t to);

void whereabouts_free(struct whereabouts *w);

#endif

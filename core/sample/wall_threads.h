/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots of threads that execute no goroutines, for --wall. These are threads of programs that
 * are not Go's, and threads that C has started in a Go program. */
#ifndef GOTRACE_SAMPLE_WALL_THREADS_H
#define GOTRACE_SAMPLE_WALL_THREADS_H

#include <stdbool.h>

#include "sample/pending_samples.h"
#include "sample/thread_waits.h"
#include "base/hash_index.h"

struct wall;

/* The threads of one process. */
struct wall_threads {
	struct bpf_link *of; /* NULL: the kernel cannot be asked about it */
	uint32_t pid;
	struct pending_samples seen;
	struct hash_index by_tid; /* numbers in `seen` and `delays` */
	struct thread_delay {
		/* delay by the kernel's account, or WAITS_NO_DELAY before its first answer */
		uint64_t known_ns;
		uint64_t owed_ns; /* the part that no sample has as runnable time yet */
	} * delays;
	size_t cap_delays;
	uint32_t n;
	uint32_t listed; /* threads in the last answer */
	uint32_t generation;
	/* Images of the process at the last look. A walk of a stack uses the tables of these. */
	size_t n_images;
	/* time of the previous snapshot, and the earliest time of the next */
	uint64_t last_ns, next_ns;
};

/* Returns true if the kernel can be asked about the process. The given fields of `seen` are filled
 * in. since_ns: start of the process. */
bool wall_threads_open(struct wall_threads *t, struct wall *w, uint32_t pid, uint64_t since_ns);
/* Takes a snapshot if it does not take too much time, or in_any_case. Returns 0, -ESRCH if the
 * process has no threads any more, or -errno of the trace. */
int wall_threads_look(struct wall_threads *t, struct wall *w, size_t n_images, bool in_any_case);
/* Starts another trace. */
void wall_threads_again(struct wall_threads *t, struct wall *w, struct trace_writer *next);
void wall_threads_close(struct wall_threads *t);

#endif

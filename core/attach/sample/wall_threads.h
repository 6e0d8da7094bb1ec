/* SPDX-License-Identifier: BSD-2-Clause */
/* --wall, of threads that execute no goroutines: those of programs that are not Go's, and what C
 * has started in a Go program. */
#ifndef GOTRACE_SAMPLE_WALL_THREADS_H
#define GOTRACE_SAMPLE_WALL_THREADS_H

#include <stdbool.h>

#include "attach/sample/pending_samples.h"
#include "attach/sample/thread_waits.h"
#include "base/hash_index.h"

struct wall;

/* Of a process. */
struct wall_threads {
	struct bpf_link *of; /* NULL: nothing can be asked of it */
	uint32_t pid;
	struct pending_samples seen;
	struct hash_index by_tid; /* numbers in `seen` and `delays` */
	struct thread_delay {
		uint64_t known_ns; /* by the kernel's account, so far; WAITS_NO_DELAY: not seen yet
				    */
		uint64_t owed_ns;  /* the part that it has not been told as runnable for */
	} * delays;
	size_t cap_delays;
	uint32_t n;
	uint32_t listed; /* the last time */
	uint32_t generation;
	size_t n_images;           /* it had then: a stack is walked by what is known of these */
	uint64_t last_ns, next_ns; /* the snapshot before; none is taken earlier than that */
};

/* Whether it can be asked; `seen` is filled in as far as it is given, and since_ns is when it
 * began. */
bool wall_threads_open(struct wall_threads *t, struct wall *w, uint32_t pid, uint64_t since_ns);
/* A snapshot, unless it would take too much time, or in any case. 0, -ESRCH: it has no threads any
 * more, or -errno of the trace. */
int wall_threads_look(struct wall_threads *t, struct wall *w, size_t n_images, bool in_any_case);
/* From now on another trace is written. */
void wall_threads_again(struct wall_threads *t, struct wall *w, struct trace_writer *next);
void wall_threads_close(struct wall_threads *t);

#endif

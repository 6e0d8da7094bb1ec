/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel for gotrace's perf events of the threads of a running process. A thread has
 * events that were opened for it, and events inherited from the thread that started it. */
#ifndef GOTRACE_SAMPLE_THREAD_EVENTS_H
#define GOTRACE_SAMPLE_THREAD_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/sample.h"

struct thread_events {
	struct bpf_object *object;
	struct bpf_link *link;
	struct threads_state *state;
	struct thread_has *at; /* the last answer */
	size_t n, cap;
};

/* Returns 0 or -errno (logged). The caller must call thread_events_unload in every case. */
int thread_events_load(struct thread_events *t, const struct threads_config *config);
/* Fills in `at` and `n` with the process's threads, in ascending order. All threads that existed
 * throughout the call are there. Returns 0 or -errno. */
int thread_events_read(struct thread_events *t, pid_t pid);
void thread_events_unload(struct thread_events *t);

#endif

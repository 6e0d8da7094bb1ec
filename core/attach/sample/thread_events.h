/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel which of gotrace's perf events the threads of a running process have: those that
 * were opened for a thread, and those that it has inherited from the one that started it. */
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

/* 0 or -errno (logged); to be followed by thread_events_unload in every case. */
int thread_events_load(struct thread_events *t, const struct threads_config *config);
/* Fills in `at` and `n`: the process's threads, the lowest number first; all that were there
 * throughout the call. 0 or -errno. */
int thread_events_read(struct thread_events *t, pid_t pid);
void thread_events_unload(struct thread_events *t);

#endif

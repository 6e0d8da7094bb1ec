/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel what the threads of a process do that do not execute, and where: their stacks as
 * bpf/waits.bpf.c walks them. Nothing is stopped. */
#ifndef GOTRACE_SAMPLE_THREAD_WAITS_H
#define GOTRACE_SAMPLE_THREAD_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "attach/sample/sample_bpf.h"

struct bpf_link;

struct thread_waits {
	struct sample_bpf *bpf; /* borrowed; with BPF_WAITS */
	/* the last answer: each a struct waits_thread and its addresses */
	uint8_t *bytes;
	size_t n_bytes, cap;
	/* threads that there are, and that were looked at; go: the part of these that executes
	 * goroutines, which is not told of */
	uint32_t listed, drawn, go;
	uint32_t generation; /* the last that was given out, of all processes */
};

/* What the kernel is asked by about the threads of this process. NULL: it has none to give (errno).
 * To be given back by thread_waits_close. */
struct bpf_link *thread_waits_open(const struct thread_waits *w, uint32_t pid);
void thread_waits_close(struct bpf_link *of);
/*
 * Asks, with what is set of the question: pid, every, pick and generation. One at random of each
 * `every` threads is told of, in the first group number `pick`, until there are WAITS_THREADS: when
 * listed is above every * WAITS_THREADS, some were not reached. A stack is not told again while its
 * thread has not run and the generation is the same. 0 or -errno.
 */
int thread_waits_ask(struct thread_waits *w, struct bpf_link *of,
		     const struct waits_state *question);
/* The next of those told of, 0 being the first *at; NULL: there is none. */
const struct waits_thread *thread_waits_next(const struct thread_waits *w, size_t *at);
/* Its addresses. */
static inline const uint64_t *thread_waits_pcs(const struct waits_thread *t)
{
	return (const uint64_t *)(t + 1);
}
void thread_waits_free(struct thread_waits *w);

#endif

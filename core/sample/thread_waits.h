/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel for the state and the stacks of threads that do not execute. bpf/waits.bpf.c
 * walks the stacks. It stops no thread. */
#ifndef GOTRACE_SAMPLE_THREAD_WAITS_H
#define GOTRACE_SAMPLE_THREAD_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "sample/sample_bpf.h"

struct bpf_link;

struct thread_waits {
	struct sample_bpf *bpf; /* borrowed; loaded with BPF_WAITS */
	/* the last answer: for each thread a struct waits_thread, then its addresses */
	uint8_t *bytes;
	size_t n_bytes, cap;
	/* listed: threads of the process. drawn: threads that were looked at. go: those of them
	 * that execute goroutines, which are not in the answer. */
	uint32_t listed, drawn, go;
	uint32_t generation; /* the last used one, for all processes together */
};

/* Returns a link to ask the kernel about the threads of this process. The caller closes it with
 * thread_waits_close. NULL: the kernel refuses it (errno). */
struct bpf_link *thread_waits_open(const struct thread_waits *w, uint32_t pid);
void thread_waits_close(struct bpf_link *of);
/*
 * Asks the kernel. The caller sets pid, every, pick and generation of the question. Threads form
 * groups of `every`, and the answer has one random thread of each group. In the first group it is
 * thread number `pick`. The answer has at most WAITS_THREADS threads. If listed is above every *
 * WAITS_THREADS, some threads were not reached.
 *
 * The answer omits a stack if its thread has not run and the generation is unchanged. Returns 0 or
 * -errno.
 */
int thread_waits_ask(struct thread_waits *w, struct bpf_link *of,
		     const struct waits_state *question);
/* Returns the next thread of the answer. *at is 0 at first. NULL: there are no more. */
const struct waits_thread *thread_waits_next(const struct thread_waits *w, size_t *at);
/* Returns the addresses of a thread's stack. */
static inline const uint64_t *thread_waits_pcs(const struct waits_thread *t)
{
	return (const uint64_t *)(t + 1);
}
void thread_waits_free(struct thread_waits *w);

#endif

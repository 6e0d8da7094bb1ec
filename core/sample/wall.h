/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of goroutines and threads that do not execute (--wall). gotrace takes snapshots of them
 * from outside. Each sample stands for the time since the previous snapshot. While a goroutine or
 * thread stays unchanged, it is one sample a second. The other samples of the recording cover
 * execution.
 */
#ifndef GOTRACE_SAMPLE_WALL_H
#define GOTRACE_SAMPLE_WALL_H

#include "sample/wall_state.h"

#define WALL_HZ 40 /* snapshots of each process in a second, by default */

/* Borrows the BPF program, which may lack BPF_WAITS. */
void wall_begin(struct wall *w, struct processes *p, struct sample_bpf *bpf,
		struct trace_writer *writer, uint64_t now_ns);
/* Takes snapshots if they are due, or in_any_case. Writes the changes. Returns 0, or -errno of the
 * trace. */
int wall_take(struct wall *w, uint64_t now_ns, bool in_any_case);
/* Writes the goroutines and threads that are unchanged so far. Returns 0, or -errno of the trace.
 */
int wall_flush(struct wall *w);
/* Starts another trace, after wall_flush and processes_again. Numbers of reasons stay valid.
 * Counters start from 0. */
void wall_again(struct wall *w, struct trace_writer *next, uint64_t now_ns);
/* Asks wants() again about all processes, because its answers may have changed. No sample is
 * pending then, as after wall_again. */
void wall_ask_again(struct wall *w);
/* Returns the number of processes that it looks at. */
size_t wall_processes(const struct wall *w);
/* Sets the keys with the names of reasons so far. Returns 0 or -ENOMEM. */
int wall_describe_reasons(const struct wall *w, struct trace_info *to);
/* Returns the number of samples that it has written. */
uint64_t wall_samples(const struct wall *w);
/* Sets its keys at the end of a trace. Returns 0 or -ENOMEM. */
int wall_describe(const struct wall *w, struct trace_info *end);
void wall_free(struct wall *w);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goroutines, and threads that execute none, do besides executing (--wall): snapshots of them,
 * taken from outside, become samples that stand for the time since the snapshot before. While one
 * stays as it is, it is one sample a second. What executes, the other samples tell.
 */
#ifndef GOTRACE_SAMPLE_WALL_H
#define GOTRACE_SAMPLE_WALL_H

#include "attach/sample/wall_state.h"

#define WALL_HZ 40 /* snapshots a second, of each process, where nobody asks for another */

/* The program is borrowed; its BPF_WAITS may be there or not. */
void wall_begin(struct wall *w, struct processes *p, struct sample_bpf *bpf,
		struct trace_writer *writer, uint64_t now_ns);
/* Takes snapshots if it is time to, or in any case, and writes what has changed. 0, or -errno of
 * the trace. */
int wall_take(struct wall *w, uint64_t now_ns, bool in_any_case);
/* Writes what has stayed as it is. 0, or -errno of the trace. */
int wall_flush(struct wall *w);
/* From now on another trace is written: after wall_flush and processes_again. Numbers of reasons
 * stay as they are; what was counted is forgotten. */
void wall_again(struct wall *w, struct trace_writer *next, uint64_t now_ns);
/* wants() may say something else now: all are asked about again. Nothing is held, as after
 * wall_again. */
void wall_ask_again(struct wall *w);
/* How many processes it looks at. */
size_t wall_processes(const struct wall *w);
/* Sets the keys that name the reasons so far. 0 or -ENOMEM. */
int wall_describe_reasons(const struct wall *w, struct trace_info *to);
/* How many samples it has written. */
uint64_t wall_samples(const struct wall *w);
/* Sets the keys that tell of it. 0 or -ENOMEM. */
int wall_describe(const struct wall *w, struct trace_info *end);
void wall_free(struct wall *w);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goroutines do besides executing (--wall): snapshots of them, read from outside, become
 * samples that stand for the time since the snapshot before. While a goroutine stays as it is, it
 * is one sample a second. What executes, the other samples tell.
 */
#ifndef GOTRACE_SAMPLE_WALL_H
#define GOTRACE_SAMPLE_WALL_H

#include "attach/sample/processes.h"
#include "attach/sample/snapshot.h"

#define WALL_HZ         40  /* snapshots a second, of each process */
#define WALL_GOROUTINES 256 /* that are looked at in each; drawn at random where there are more */
#define WALL_REASONS    256

struct wall_process;

struct wall {
	bool on;
	struct processes *processes; /* borrowed, as the writer is */
	struct trace_writer *writer;
	struct wall_process *all;
	size_t n, cap, seen; /* seen: of the processes that there are */
	char *reason[WALL_REASONS];
	unsigned n_reasons;
	uint64_t random;
	uint64_t begin_ns, next_ns, last_ns; /* next_ns: of the next snapshots */
	/* sums over all snapshots */
	uint64_t samples, snapshots, gap_ns; /* gap_ns: the longest between two */
	uint64_t drawn, listed;              /* goroutines; listed: with those that have ended */
	uint64_t running_ns, idle_ns;   /* of goroutines that ran, or worked for Go's runtime */
	uint64_t torn, cut, unreadable; /* goroutines that could not be read, and stacks */
	uint64_t not_go;                /* processes that are not told of */
};

void wall_begin(struct wall *w, struct processes *p, struct trace_writer *writer, uint64_t now_ns);
/* Takes snapshots if it is time to, or in any case, and writes what has changed. 0, or -errno of
 * the trace. */
int wall_take(struct wall *w, uint64_t now_ns, bool in_any_case);
/* Writes what has stayed as it is. 0, or -errno of the trace. */
int wall_flush(struct wall *w);
/* Sets the keys that tell of it. 0 or -ENOMEM. */
int wall_describe(const struct wall *w, struct trace_info *end);
void wall_free(struct wall *w);

#endif

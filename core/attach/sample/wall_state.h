/* SPDX-License-Identifier: BSD-2-Clause */
/* What those have in common that look at goroutines and at threads for --wall. */
#ifndef GOTRACE_SAMPLE_WALL_STATE_H
#define GOTRACE_SAMPLE_WALL_STATE_H

#include <stdbool.h>

#include "attach/sample/processes.h"
#include "attach/sample/thread_waits.h"

#define WALL_REASONS 256

struct wall_process;

struct wall {
	/* given */
	bool on;
	unsigned hz;              /* snapshots a second of each process */
	unsigned most;            /* processes at a time */
	uint64_t most_binary;     /* bytes that a Go program may take to be read; 0: no limit */
	uint64_t most_goroutines; /* of each in its list, drawn if there are more; 0: SNAPSHOT_MOST
				   */
	/* whether one is looked at, asked when it is a quarter of a second old; NULL: all are, from
	 * their start
	 */
	bool (*wants)(void *ctx, struct process *p);
	void *wants_ctx;
	/* found out on the way */
	struct processes *processes; /* borrowed, as the writer is */
	struct trace_writer *writer;
	struct thread_waits waits; /* how threads are asked for */
	struct wall_process *all;
	size_t n, cap, seen; /* seen: of the processes that there are */
	unsigned moved;      /* as theirs, when `seen` was right */
	char *reason[WALL_REASONS];
	unsigned n_reasons;
	uint64_t random;
	uint64_t begin_ns, next_ns, last_ns; /* next_ns: of the next snapshots */
	/* sums over all snapshots */
	uint64_t snapshots, gap_ns;     /* gap_ns: the longest between two, of threads as well */
	uint64_t drawn, listed;         /* goroutines; listed: with those that have ended */
	uint64_t running_ns, idle_ns;   /* of goroutines that ran, or worked for Go's runtime */
	uint64_t torn, cut, unreadable; /* goroutines that could not be read, and stacks */
	uint64_t not_go;                /* processes that are not told of */
	uint64_t silent;                /* processes whose memory did not answer */
	uint64_t left_out;              /* wanted, but there were `most` already */
	uint64_t written;               /* samples of processes whose place was left */
	/* likewise, of threads */
	struct {
		uint64_t snapshots, drawn, listed, running_ns, torn;
	} threads;
};

/* The number of a text, 0: there are too many. */
uint8_t wall_reason(struct wall *w, const char *text);
/* At random from 0 on, below 1. */
double wall_chance(struct wall *w);
/* So much time was between two snapshots. */
void wall_gap(struct wall *w, uint64_t ns);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The common state of the code that looks at goroutines and threads for --wall. */
#ifndef GOTRACE_SAMPLE_WALL_STATE_H
#define GOTRACE_SAMPLE_WALL_STATE_H

#include <stdbool.h>

#include "sample/processes.h"
#include "sample/thread_waits.h"

#define WALL_REASONS 256

struct wall_process;

struct wall {
	/* given */
	bool on;
	unsigned hz;          /* snapshots a second of each process */
	unsigned most;        /* most processes at a time */
	uint64_t most_binary; /* bytes for reading a Go program; 0 is no limit */
	/* Goroutines in the list of each process, drawn if there are more; 0: SNAPSHOT_MOST. */
	uint64_t most_goroutines;
	/* Returns true if a process is wanted. It is asked when the process is a quarter of a
	 * second old. NULL: all processes are wanted, from their start. */
	bool (*wants)(void *ctx, struct process *p);
	void *wants_ctx;
	/* found out on the way */
	struct processes *processes; /* borrowed, like the writer */
	struct trace_writer *writer;
	struct thread_waits waits; /* for asking about threads */
	struct wall_process *all;
	size_t n, cap, seen; /* seen: number of processes that were visited */
	unsigned moved;      /* value of processes->moved at the last visit */
	char *reason[WALL_REASONS];
	unsigned n_reasons;
	uint64_t random;
	uint64_t begin_ns, next_ns, last_ns; /* next_ns: when snapshots are due */
	/* sums over all snapshots */
	uint64_t snapshots, gap_ns;   /* gap_ns: longest time between two, also for threads */
	uint64_t drawn, listed;       /* goroutines; listed: also those that have ended */
	uint64_t running_ns, idle_ns; /* time of goroutines that ran, or worked for Go's runtime */
	uint64_t torn, cut, unreadable; /* torn: goroutines that kept changing; others: stacks */
	uint64_t not_go;                /* processes without snapshots */
	uint64_t silent;                /* processes whose memory did not answer */
	uint64_t left_out;              /* wanted, but there were `most` already */
	uint64_t written;               /* samples of processes whose place was left */
	/* the sums for threads */
	struct {
		uint64_t snapshots, drawn, listed, running_ns, torn;
	} threads;
};

/* Returns the number of a text. 0: there are too many texts. */
uint8_t wall_reason(struct wall *w, const char *text);
/* Returns a random number from 0 on, below 1. */
double wall_chance(struct wall *w);
/* Notes the time between two snapshots. */
void wall_gap(struct wall *w, uint64_t ns);

#endif

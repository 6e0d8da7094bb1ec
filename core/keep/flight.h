/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flight recorder keeps the last events, packed, in memory that does not grow. It hands them out
 * for writing when something has happened. The oldest events are dropped in pieces of an eighth of
 * the kept bytes. A piece begins with events for the calls and states that are open there
 * (EV_WINDOW), so that every window is a trace of its own.
 *
 * One thread gives events and rounds. Others may ask for a window, and take windows to write them.
 */
#ifndef GOTRACE_FLIGHT_H
#define GOTRACE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct flight;

struct flight_options {
	const struct trace_info *info; /* functions and sites; borrowed */
	struct trace_writer *writer;   /* gets the last window at the end; borrowed */
	uint64_t keep_ns;              /* the least time to keep, 0 for as much as fits */
	uint64_t keep_bytes;           /* the most bytes to keep, packed */
	/* By function: true when a call that takes longer than when_ns is a reason to write.
	 * Copied. NULL for no function. */
	const bool *when;
	uint64_t when_ns;
	uint32_t times; /* number of such reasons; recording ends with the last one */
};

/* Returns NULL with errno ENOMEM. */
struct flight *flight_new(const struct flight_options *opt);
void flight_free(struct flight *f);
struct trace_sink flight_sink(struct flight *f);
/* Adds the name of a program counter. Only the thread that gives events calls it. ctx is the
 * recorder. */
void flight_name_pc(void *ctx, const struct trace_pc *pc);

/* Asks for a window of the events that are there at the next round. Any thread may call it. */
void flight_ask(struct flight *f);

/* A window that is to be written. */
struct flight_window {
	struct segment **segments;
	size_t n_segments;
	struct trace_info pcs; /* only its program counters are set */
	bool whole;            /* no event came before it */
	bool hit;              /* it is written because a call took too long */
	uint64_t first_ns, last_ns;
	uint64_t events; /* number of its events, without samples of the processor time */
	struct flight_window *next;
};

/* Returns the next window that waits to be written, NULL when none does. The caller frees it. Any
 * thread may call it. */
struct flight_window *flight_take(struct flight *f);
/* Returns a window of the present events, NULL when there is no memory. The caller calls it when no
 * more events come. */
struct flight_window *flight_last(struct flight *f);
/* Returns true when the last reason (`times`) has come. Then no event is added any more. Any thread
 * may call it. */
bool flight_ended(const struct flight *f);
/* Writes all of w, but its program counters only with `pcs`. Returns 0 or -errno. */
int flight_window_write(const struct flight_window *w, struct trace_writer *to, bool pcs);
void flight_window_free(struct flight_window *w);

struct flight_stats {
	uint64_t events;  /* events given to the recorder */
	uint64_t windows; /* windows that were to be written so far */
	uint64_t bytes;   /* bytes held now, packed */
	uint64_t most_bytes;
	uint64_t open_bytes; /* bytes used to follow open calls */
	bool full;           /* there was no room for keep_ns */
};
struct flight_stats flight_stats(const struct flight *f);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flight recorder: the last events, packed, in memory that does not grow, to be written out when
 * something has happened. The oldest go in pieces of an eighth of what is kept; what was open where
 * the rest begins is told there (EV_WINDOW), so that every window is a trace of its own.
 *
 * One thread gives events and rounds. Others may ask, and take what is to be written.
 */
#ifndef GOTRACE_FLIGHT_H
#define GOTRACE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct flight;

struct flight_options {
	const struct trace_info *info; /* functions and sites; borrowed */
	struct trace_writer *writer;   /* gets the last window, at the end; borrowed */
	uint64_t keep_ns;              /* at least so much time; 0: what fits */
	uint64_t keep_bytes;           /* never more, packed */
	/* By function: a call that takes longer than when_ns is a reason to write. Copied. NULL:
	 * none is */
	const bool *when;
	uint64_t when_ns;
	uint32_t times; /* so many such reasons; with the last one all ends */
};

/* NULL and errno: ENOMEM. */
struct flight *flight_new(const struct flight_options *opt);
void flight_free(struct flight *f);
struct trace_sink flight_sink(struct flight *f);
/* Program counters are named; to be called by the thread that gives events. ctx: the recorder. */
void flight_name_pc(void *ctx, const struct trace_pc *pc);

/* To be written at the next round is what there is then. By any thread. */
void flight_ask(struct flight *f);

/* A window that is to be written. */
struct flight_window {
	struct segment **segments;
	size_t n_segments;
	struct trace_info pcs; /* only these */
	bool whole;            /* nothing came before */
	bool hit;              /* because of a call that took too long */
	uint64_t first_ns, last_ns;
	uint64_t events; /* that it has, without samples of the processor time */
	struct flight_window *next;
};

/* The next that waits to be written; NULL: none does. To be freed. By any thread. */
struct flight_window *flight_take(struct flight *f);
/* What there is now; NULL: no memory. When no more events come. */
struct flight_window *flight_last(struct flight *f);
/* Has the last reason (`times`) come? Nothing is added any more then. By any thread. */
bool flight_ended(const struct flight *f);
/* All of it but the program counters if `w` has them; 0 or -errno. */
int flight_window_write(const struct flight_window *w, struct trace_writer *to, bool pcs);
void flight_window_free(struct flight_window *w);

struct flight_stats {
	uint64_t events;  /* given */
	uint64_t windows; /* that were to be written so far */
	uint64_t bytes;   /* held now, packed */
	uint64_t most_bytes;
	uint64_t open_bytes; /* to know what is open */
	bool full;           /* there was no room for keep_ns */
};
struct flight_stats flight_stats(const struct flight *f);

#endif

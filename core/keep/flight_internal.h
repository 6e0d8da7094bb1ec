/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to keep/flight*.c. */
#ifndef GOTRACE_FLIGHT_INTERNAL_H
#define GOTRACE_FLIGHT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "keep/flight.h"
#include "keep/open_calls.h"
#include "trace/packed.h"

#define PIECES        8  /* number of pieces of a full window */
#define SEGMENTS_MOST 64 /* the most segments; each window that is written ends one */

/* The events of some time. The recorder and windows that wait share it. */
struct segment {
	atomic_uint users;
	struct packed_block **blocks;
	size_t n, cap;
	/* number of blocks that hold the calls and states open at its start */
	size_t n_before;
	uint64_t events_before; /* number of events in those blocks */
	uint64_t bytes, events, samples;
	uint64_t first_ns, last_ns;
};
void segment_release(struct segment *s);

/* A call that may take too long. */
struct watched {
	uint64_t id, start_ns;
	uint32_t depth;
	bool system;
};

struct flight {
	struct flight_options opt;
	struct open_calls open;
	struct packer *packer;
	struct segment *segments[SEGMENTS_MOST + 2]; /* the oldest first; the last one grows */
	size_t n_segments;
	struct trace_info pcs;
	int err;
	uint64_t bytes, last_ns;
	struct flight_stats stats;
	bool dropped; /* some events are gone */
	/* values of the event that is given next, NULL for none */
	const struct trace_values *values;

	/* for calls that take too long: */
	bool *when;
	struct watched *queue; /* a ring, sorted by start */
	size_t queue_first, queue_n, queue_cap;
	struct event_ext hit;  /* event that is to be added; kind is 0 for none */
	uint64_t shoot_ns;     /* a window is due at this time at the latest, 0 for none */
	struct watched reason; /* the call that took too long */
	bool hit_ended;        /* that call is over */
	uint32_t hits;         /* number of windows for such calls */
	atomic_bool asked, ended;

	pthread_mutex_t lock; /* lock of the windows that wait */
	struct flight_window *first, *last;
};

/* flight_when.c */
/* Notes that a call of a watched function has begun. */
void flight_watch(struct flight *f, const struct open_stack *s, struct open_call *c);
/* The callback for open_calls.ended. */
void flight_call_ended(void *ctx, struct open_stack *s, struct open_call *c, uint64_t ts_ns,
		       bool inferred);
/* Looks for calls that have taken too long and are still open. All events before now_ns were
 * given. */
void flight_look(struct flight *f, uint64_t now_ns);

/* flight_pieces.c; its errors go into f->err */
struct segment *flight_current(struct flight *f);
int flight_add_segment(struct flight *f, uint64_t first_ns); /* 0 or -ENOMEM */
/* Adds events. arg belongs to an event that has arguments. */
void flight_pack(struct flight *f, const struct event *ev, size_t n, const uint64_t (*arg)[4]);
/* Adds events as flight_pack, with the values that came for the first of them, and begins a new
 * piece if one is due. The caller has added everything that it followed. */
void flight_add(struct flight *f, const struct event *ev, size_t n, const uint64_t (*arg)[4]);
void flight_begin_piece(struct flight *f);
/* Drops events for which there is no room, and those that are too old. */
void flight_trim(struct flight *f, uint64_t now_ns);
/* Makes a window of the present events, which then waits to be written and no longer grows. */
void flight_shoot(struct flight *f, bool hit);

#endif

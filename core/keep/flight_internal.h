/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to keep/flight*.c. */
#ifndef GOTRACE_FLIGHT_INTERNAL_H
#define GOTRACE_FLIGHT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "keep/flight.h"
#include "keep/open_calls.h"
#include "trace/packed.h"

#define PIECES        8  /* that a window goes in */
#define SEGMENTS_MOST 64 /* more than these: each that is written ends one */

/* Some time's events; shared by the recorder and windows that wait. */
struct segment {
	atomic_uint users;
	struct packed_block **blocks;
	size_t n, cap;
	size_t n_before;        /* of them: what was open as it began */
	uint64_t events_before; /* in these */
	uint64_t bytes, events, samples;
	uint64_t first_ns, last_ns;
};
void segment_release(struct segment *s);

/* A call that may come to take too long. */
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
	bool dropped;                      /* something is gone */
	const struct trace_values *values; /* of the event that is given next; NULL: none */

	/* calls that take too long */
	bool *when;
	struct watched *queue; /* a ring, by start */
	size_t queue_first, queue_n, queue_cap;
	struct event_ext hit;  /* to be added; kind 0: none */
	uint64_t shoot_ns;     /* a window is due then at the latest; 0: none */
	struct watched reason; /* the call that took too long */
	bool hit_ended;        /* it is over */
	uint32_t hits;         /* windows */
	atomic_bool asked, ended;

	pthread_mutex_t lock; /* of the windows that wait */
	struct flight_window *first, *last;
};

/* flight_when.c */
/* A call of a watched function has begun. */
void flight_watch(struct flight *f, const struct open_stack *s, struct open_call *c);
/* For open_calls.ended. */
void flight_call_ended(void *ctx, struct open_stack *s, struct open_call *c, uint64_t ts_ns,
		       bool inferred);
/* All older events were given: calls that have taken too long and are open still. */
void flight_look(struct flight *f, uint64_t now_ns);

/* flight_pieces.c; what fails is in f->err */
struct segment *flight_current(struct flight *f);
int flight_add_segment(struct flight *f, uint64_t first_ns); /* 0 or -ENOMEM */
/* Adds events; arg: of one that has arguments. */
void flight_pack(struct flight *f, const struct event *ev, size_t n, const uint64_t (*arg)[4]);
/* As flight_pack, with the values that came for the first of them, and begins a new piece if one is
 * due: all that was followed must be added. */
void flight_add(struct flight *f, const struct event *ev, size_t n, const uint64_t (*arg)[4]);
void flight_begin_piece(struct flight *f);
/* Lets go of what there is no room for, and of what is too old. */
void flight_trim(struct flight *f, uint64_t now_ns);
/* What there is now waits to be written, and is not added to. */
void flight_shoot(struct flight *f, bool hit);

#endif

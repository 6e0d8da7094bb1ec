/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are held back until it is known whether what began with them lasts long enough: a
 * call, the life of a goroutine, a stopped prologue. Those that do not leave the queue with all
 * their events; the others are passed on in the order in which they came.
 */
#ifndef GOTRACE_HELD_H
#define GOTRACE_HELD_H

#include "trace/trace.h"

/* An event that waits. */
struct held_event {
	struct event_ext ev;
	struct held_event *before, *after; /* in the queue; both NULL: it is in none */
	struct held *begins;               /* what it begins; NULL: nothing */
	struct held_event *more;           /* the next of a span's `more` */
	uint32_t needed;                   /* by undecided spans that it is part of */
	bool kept;
};

/* Of more events in between, as a chain of many tail jumps has, it is kept for their sake. */
#define HELD_NOTED 6

/* What an event began. Undecided until it has lasted long enough (kept), ended before (dropped), or
 * something that it made is kept, since then it is as well. */
struct held {
	struct held_event first;
	struct held_event *noted[HELD_NOTED]; /* in between; the first n_noted */
	struct held_event *last;              /* NULL: none yet */
	struct held_event *more;              /* any number of others, which are part of no other */
	unsigned n_noted;
	struct held *up; /* what it was made by, while both are undecided */
	uint64_t start_ns;
	uint32_t below; /* undecided ones whose `up` it is */
	bool open;      /* its end has not been seen */
	bool kept, dropped;
};

struct held_queue {
	uint64_t min_ns;
	const struct trace_sink *next; /* borrowed */
	struct held_event ends;        /* before the first and after the last */
	size_t n, most;                /* events that wait, and did at the most */
	int err;                       /* of memory or next, sticks */
	/* for reuse; linked by `after` and `up` */
	struct held_event *spare_events;
	struct held *spare_spans;
	struct held_block *blocks; /* what all of them lie in */
};

void held_init(struct held_queue *q, uint64_t min_ns, const struct trace_sink *next);
void held_free(struct held_queue *q);

/* The event that is being looked at: put into the queue once something needs it. */
struct held_now {
	const struct event_ext *ev;
	struct held_event *put; /* NULL: not yet */
};

/* It is passed on in any case. */
void held_keep_event(struct held_queue *q, struct held_now *now);
/* Something made by `up` (NULL: by nothing known) begins. NULL: no memory, q->err. */
struct held *held_begin(struct held_queue *q, struct held_now *now, struct held *up);
/* The event is part of h, which goes on. */
void held_note(struct held_queue *q, struct held *h, struct held_now *now);
/* The same, of any number of events that are part of h alone. */
void held_note_more(struct held_queue *q, struct held *h, struct held_now *now);
/* In place of the last n events noted, which were not yet it. */
void held_note_again(struct held_queue *q, struct held *h, struct held_now *now, unsigned n);
/* It begins anew: what was noted of it so far was not yet it. */
void held_begin_again(struct held_queue *q, struct held *h, struct held_now *now);
/* It ends at ts_ns, by the event, or with now NULL without one. h is the queue's from here on.
 * after: an event that follows where h is kept; NULL: none. */
void held_end(struct held_queue *q, struct held *h, uint64_t ts_ns, struct held_now *now,
	      const struct event_ext *after);

/* Passes on what is decided; all events before now_ns have been given. q->err */
int held_drain(struct held_queue *q, uint64_t now_ns);
/* There are no more events, the last was at last_ns, where all ends that is open. q->err */
int held_finish(struct held_queue *q, uint64_t last_ns);

#endif

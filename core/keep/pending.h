/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are held back until it is known whether what began with them lasts long enough: a
 * call, the life of a goroutine, a stopped prologue. Those that do not leave the queue with all
 * their events; the others are passed on in the order in which they came.
 */
#ifndef GOTRACE_PENDING_H
#define GOTRACE_PENDING_H

#include "trace/trace.h"

/* An event that waits. */
struct pending_event {
	struct event_ext ev;
	struct pending_event *before, *after; /* in the queue; both NULL: it is in none */
	struct pending *begins;               /* what it begins; NULL: nothing */
	struct pending_event *more;           /* the next of a span's `more` */
	uint32_t needed;                      /* by undecided spans that it is part of */
	bool kept;
};

/* Of more events in between, as a chain of many tail jumps has, it is kept for their sake. */
#define PENDING_NOTED 6

/* What an event began. Undecided until it has lasted long enough (kept), ended before (dropped), or
 * something that it made is kept, since then it is as well. */
struct pending {
	struct pending_event first;
	struct pending_event *noted[PENDING_NOTED]; /* in between; the first n_noted */
	struct pending_event *last;                 /* NULL: none yet */
	struct pending_event *more; /* any number of others, which are part of no other */
	unsigned n_noted;
	struct pending *up; /* what it was made by, while both are undecided */
	uint64_t start_ns;
	uint32_t below; /* undecided ones whose `up` it is */
	bool open;      /* its end has not been seen */
	bool kept, dropped;
};

struct pending_queue {
	uint64_t min_ns;
	const struct trace_sink *next; /* borrowed */
	struct pending_event ends;     /* before the first and after the last */
	size_t n, most;                /* events that wait, and did at the most */
	int err;                       /* of memory or next, sticks */
	/* for reuse; linked by `after` and `up` */
	struct pending_event *spare_events;
	struct pending *spare_spans;
	struct pending_block *blocks; /* what all of them lie in */
};

void pending_init(struct pending_queue *q, uint64_t min_ns, const struct trace_sink *next);
void pending_free(struct pending_queue *q);

/* The event that is being looked at: put into the queue once something needs it. */
struct pending_now {
	const struct event_ext *ev;
	struct pending_event *put; /* NULL: not yet */
};

/* It is passed on in any case. */
void pending_keep_event(struct pending_queue *q, struct pending_now *now);
/* Something made by `up` (NULL: by nothing known) begins. NULL: no memory, q->err. */
struct pending *pending_begin(struct pending_queue *q, struct pending_now *now, struct pending *up);
/* The event is part of h, which goes on. */
void pending_note(struct pending_queue *q, struct pending *h, struct pending_now *now);
/* The same, of any number of events that are part of h alone. */
void pending_note_more(struct pending_queue *q, struct pending *h, struct pending_now *now);
/* In place of the last n events noted, which were not yet it. */
void pending_note_again(struct pending_queue *q, struct pending *h, struct pending_now *now,
			unsigned n);
/* It begins anew: what was noted of it so far was not yet it. */
void pending_begin_again(struct pending_queue *q, struct pending *h, struct pending_now *now);
/* It ends at ts_ns, by the event, or with now NULL without one. h is the queue's from here on.
 * after: an event that follows where h is kept; NULL: none. */
void pending_end(struct pending_queue *q, struct pending *h, uint64_t ts_ns,
		 struct pending_now *now, const struct event_ext *after);

/* Passes on what is decided; all events before now_ns have been given. q->err */
int pending_drain(struct pending_queue *q, uint64_t now_ns);
/* There are no more events, the last was at last_ns, where all ends that is open. q->err */
int pending_finish(struct pending_queue *q, uint64_t last_ns);

#endif

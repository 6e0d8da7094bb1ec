/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are held back until it is known whether their span lasts long enough. A span is a
 * call, the life of a goroutine, or a stopped prologue. A span that does not last leaves the queue
 * with all its events. The others are passed on in the order in which they came.
 */
#ifndef GOTRACE_PENDING_H
#define GOTRACE_PENDING_H

#include "trace/trace.h"

/* An event that waits. */
struct pending_event {
	struct event_ext ev;
	/* neighbours in the queue; both NULL when it is in none */
	struct pending_event *before, *after;
	struct pending *begins;     /* the span that it begins, NULL for none */
	struct pending_event *more; /* the next in a span's `more` */
	uint32_t needed;            /* number of undecided spans that it is part of */
	bool kept;
};

/* The most events noted inside a span. A chain of many tail jumps has more. Then the span is kept
 * for their sake. */
#define PENDING_NOTED 6

/* A span that an event began. It is undecided at first. It becomes kept when it has lasted long
 * enough, or when a span that it made is kept. It becomes dropped when it ended before. */
struct pending {
	struct pending_event first;
	struct pending_event *noted[PENDING_NOTED]; /* events inside; the first n_noted are valid */
	struct pending_event *last;                 /* NULL while there is none */
	/* any number of other events, which are part of no other span */
	struct pending_event *more;
	unsigned n_noted;
	struct pending *up; /* the span that made it, while both are undecided */
	uint64_t start_ns;
	uint32_t below; /* number of undecided spans whose `up` it is */
	bool open;      /* its end has not been seen */
	bool kept, dropped;
};

struct pending_queue {
	uint64_t min_ns;
	const struct trace_sink *next; /* borrowed */
	struct pending_event ends;     /* stands before the first and after the last event */
	size_t n, most;                /* number of events that wait, and the most that did */
	int err;                       /* error of memory or of next; stays set */
	/* for reuse, linked by `after` and `up` */
	struct pending_event *spare_events;
	struct pending *spare_spans;
	struct pending_block *blocks; /* memory of all events and spans */
};

void pending_init(struct pending_queue *q, uint64_t min_ns, const struct trace_sink *next);
void pending_free(struct pending_queue *q);

/* The present event. It is put into the queue once a span needs it. */
struct pending_now {
	const struct event_ext *ev;
	struct pending_event *put; /* NULL while it is not in the queue */
};

/* Passes the event on in any case. */
void pending_keep_event(struct pending_queue *q, struct pending_now *now);
/* Begins a span made by `up`, NULL when its maker is not known. Returns NULL when there is no
 * memory, with q->err. */
struct pending *pending_begin(struct pending_queue *q, struct pending_now *now, struct pending *up);
/* Adds the event to h, which continues. */
void pending_note(struct pending_queue *q, struct pending *h, struct pending_now *now);
/* Adds the event to h like pending_note, for any number of events that are part of h alone. */
void pending_note_more(struct pending_queue *q, struct pending *h, struct pending_now *now);
/* Adds the event in place of the last n events noted, which did not belong to h. */
void pending_note_again(struct pending_queue *q, struct pending *h, struct pending_now *now,
			unsigned n);
/* Lets h begin anew. The events noted so far did not belong to it. */
void pending_begin_again(struct pending_queue *q, struct pending *h, struct pending_now *now);
/* Ends h at ts_ns, by the event, or without one when now is NULL. After that h belongs to the
 * queue. `after` is an event that follows when h is kept, NULL for none. */
void pending_end(struct pending_queue *q, struct pending *h, uint64_t ts_ns,
		 struct pending_now *now, const struct event_ext *after);

/* Passes on the decided events. All events before now_ns have been given. Returns q->err. */
int pending_drain(struct pending_queue *q, uint64_t now_ns);
/* Ends all open spans at last_ns, the time of the last event, and passes on the rest. Returns
 * q->err. */
int pending_finish(struct pending_queue *q, uint64_t last_ns);

#endif

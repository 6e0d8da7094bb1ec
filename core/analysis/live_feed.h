/* SPDX-License-Identifier: BSD-2-Clause */
/* Hands the numbers of a recording to a thread of its own process that prints them (live_trace.h).
 */
#ifndef GOTRACE_LIVE_FEED_H
#define GOTRACE_LIVE_FEED_H

#include <pthread.h>

#include "analysis/calls/wait_class.h"
#include "analysis/parked.h"
#include "model/model.h"

/* The newest numbers. A zeroed struct has none. */
struct live_copy {
	struct model *model;   /* owned; NULL: there are none yet */
	struct parked *parked; /* owned */
};

/* The thread that gives events to the model calls live_feed_begin and live_feed_take. */
struct live_feed {
	struct lock_rules *locks; /* owned */
	struct parked *parked;    /* owned; of the model itself */
	pthread_mutex_t lock;     /* guards newest */
	struct live_copy newest;
};

/* To be called before there are two threads. live_feed_free frees it. */
void live_feed_init(struct live_feed *f);
void live_feed_free(struct live_feed *f);

/* Fills in the options that a model needs for the answer: wakes, holds and parked goroutines. It
 * borrows info, and the model borrows f. 0 or -ENOMEM (logged). */
int live_feed_begin(struct live_feed *f, const struct trace_info *info, struct model_options *opt);
/* Takes a copy of the model (model_snapshot), which it frees. feed: a struct live_feed. 0 or
 * -ENOMEM. */
int live_feed_take(void *feed, struct model *copy);

/* Moves the newest numbers to *to, in place of those there. Returns false when there are no newer
 * ones. */
bool live_feed_newest(struct live_feed *f, struct live_copy *to);
void live_copy_free(struct live_copy *c);

#endif

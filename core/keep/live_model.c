// SPDX-License-Identifier: BSD-2-Clause
/*
 * The thread that gives events only copies the model; what is long, to finish the copy and to pack
 * it, is done by a thread of its own. The former writes the result, since it has the writer.
 */
#include "keep/live_model.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread_signals.h"
#include "model/summary.h"

#define EVERY_NS 1000000000ull
/* Making summaries takes at most this part of the time. */
#define PART 20

struct live_model {
	struct live_model_options opt;
	struct model *model;
	uint64_t next_ns, begun_ns; /* when the next is due, and the last was begun */
	bool too_large;             /* it had no room: not tried again but at the end */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct model *copy;           /* waits for the thread, which takes it */
	bool busy, ending;            /* it is at one; it shall end */
	bool done;                    /* there is a result */
	int err;                      /* of it */
	struct trace_summary summary; /* the result */
};

/* Finishes m and packs what it knows. 0 or -errno */
static int make_summary(struct model *m, struct trace_summary *s)
{
	struct summary_bytes b = { 0 };
	int err = model_finish(m);

	if (!err)
		err = summary_put(&b, m);
	if (!err)
		err = trace_summary_pack(s, b.data, b.n);
	free(b.data);
	return err;
}

/* ---- the thread */

static void *summary_thread(void *arg)
{
	struct live_model *l = arg;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		while (!l->copy && !l->ending)
			pthread_cond_wait(&l->changed, &l->lock);
		if (l->ending)
			break;
		struct model *copy = l->copy;
		struct trace_summary summary = { 0 };

		l->copy = NULL;
		pthread_mutex_unlock(&l->lock);
		int err = make_summary(copy, &summary);

		model_free(copy);
		pthread_mutex_lock(&l->lock);
		l->summary = summary;
		l->err = err;
		l->busy = false;
		l->done = true;
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int start_thread(struct live_model *l)
{
	sigset_t old;

	thread_signals_block(&old);
	int err = -pthread_create(&l->thread, NULL, summary_thread, l);
	thread_signals_put_back(&old);
	l->threaded = !err;
	return err;
}

static void end_thread(struct live_model *l)
{
	if (!l->threaded)
		return;
	pthread_mutex_lock(&l->lock);
	l->ending = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	l->threaded = false;
	model_free(l->copy);
	l->copy = NULL;
	trace_summary_free(&l->summary);
}

/* ---- summaries */

/* One that has no room does not end the recording; it may have room again at the end. */
static int write_summary(struct live_model *l, const struct trace_summary *s, bool last)
{
	int err = trace_writer_summary(l->opt.writer, s, last);

	l->too_large = err == -E2BIG;
	return l->too_large && !last ? 0 : err;
}

/* Takes the result, if there is one. *idle: the thread has nothing to do. */
static int take_result(struct live_model *l, bool *idle)
{
	struct trace_summary summary = { 0 };
	int err = 0;

	pthread_mutex_lock(&l->lock);
	bool done = l->done;

	if (done) {
		summary = l->summary;
		err = l->err;
		l->summary = (struct trace_summary){ 0 };
		l->done = false;
	}
	*idle = !l->busy;
	pthread_mutex_unlock(&l->lock);
	if (done && !err)
		err = write_summary(l, &summary, false);
	trace_summary_free(&summary);
	return err;
}

static int begin_summary(struct live_model *l, uint64_t up_to_ns)
{
	struct model *copy = model_snapshot(l->model);

	if (!copy)
		return -errno;
	model_is_up_to(copy, up_to_ns);
	pthread_mutex_lock(&l->lock);
	l->copy = copy;
	l->busy = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return 0;
}

static uint64_t pause_after(uint64_t took_ns)
{
	return PART * took_ns > EVERY_NS ? PART * took_ns : EVERY_NS;
}

/* All events before up_to_ns have been given; 0: all of the recording. */
static int hand_out(struct live_model *l, uint64_t up_to_ns)
{
	const uint64_t from_ns = clock_monotonic_ns();

	if (up_to_ns && from_ns < l->next_ns)
		return 0;
	struct model *copy = model_snapshot(l->model);

	if (!copy)
		return -errno;
	model_is_up_to(copy, up_to_ns);
	int err = l->opt.take(l->opt.take_ctx, copy);

	l->next_ns = from_ns + pause_after(clock_monotonic_ns() - from_ns);
	return err;
}

/* All events before up_to_ns have been given. */
static int summarize(struct live_model *l, uint64_t up_to_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	bool was_busy = l->begun_ns, idle;
	int err = take_result(l, &idle);

	if (err || !idle || l->too_large)
		return err;
	if (was_busy) {
		l->next_ns = l->begun_ns + pause_after(now_ns - l->begun_ns);
		l->begun_ns = 0;
	}
	if (now_ns < l->next_ns)
		return 0;
	l->begun_ns = now_ns;
	return begin_summary(l, up_to_ns);
}

/* ---- the sink */

static int take_event(void *ctx, const struct event_ext *ev)
{
	struct live_model *l = ctx;
	int err = model_feed(l->model, ev);

	return err || !l->opt.next ? err : l->opt.next->event(l->opt.next->ctx, ev);
}

static int take_many(void *ctx, const struct event *ev, size_t n)
{
	struct live_model *l = ctx;
	int err = model_feed_span(l->model, &(struct trace_span){ .ev = ev, .n = n });

	return err || !l->opt.next ? err : l->opt.next->many(l->opt.next->ctx, ev, n);
}

static int take_round(void *ctx, uint64_t now_ns)
{
	struct live_model *l = ctx;
	const struct trace_sink *next = l->opt.next;
	int err = next && next->round ? next->round(next->ctx, now_ns) : 0;

	if (err)
		return err;
	return l->opt.take ? hand_out(l, now_ns) : summarize(l, now_ns);
}

static int take_end(void *ctx, struct trace_info *end)
{
	struct live_model *l = ctx;
	const struct trace_sink *next = l->opt.next;
	struct trace_summary s = { 0 };
	int err = next && next->finish ? next->finish(next->ctx, end) : 0;

	end_thread(l);
	if (!err && l->opt.take)
		err = hand_out(l, 0);
	if (!err)
		err = make_summary(l->model, &s);
	if (!err)
		err = write_summary(l, &s, true);
	trace_summary_free(&s);
	return err;
}

struct trace_sink live_model_sink(struct live_model *l)
{
	return (struct trace_sink){ .event = take_event,
				    .many = take_many,
				    .round = take_round,
				    .finish = take_end,
				    .ctx = l };
}

/* ---- life */

/* A recording that is killed at once has a summary, too. */
static int write_first(struct live_model *l)
{
	struct model *nothing = model_snapshot(l->model);
	struct trace_summary s = { 0 };
	int err = nothing ? make_summary(nothing, &s) : -errno;

	if (!err)
		err = write_summary(l, &s, false);
	model_free(nothing);
	trace_summary_free(&s);
	return err;
}

struct live_model *live_model_new(const struct live_model_options *opt)
{
	struct model_options mo = opt->model;
	struct live_model *l = calloc(1, sizeof(*l));
	int err = -ENOMEM;

	mo.max_paths = opt->max_paths ? opt->max_paths : LIVE_PATHS;
	mo.path_selfs = mo.wakes = true;
	if (l) {
		l->opt = *opt;
		pthread_mutex_init(&l->lock, NULL);
		pthread_cond_init(&l->changed, NULL);
		l->model = model_new(opt->info, &mo);
		err = l->model ? write_first(l) : -errno;
	}
	if (!err && !opt->take)
		err = start_thread(l);
	if (!err)
		return l;
	log_error("counts and sums cannot be kept while recording: %s", strerror(-err));
	live_model_free(l);
	errno = -err;
	return NULL;
}

void live_model_free(struct live_model *l)
{
	if (!l)
		return;
	end_thread(l);
	model_free(l->model);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

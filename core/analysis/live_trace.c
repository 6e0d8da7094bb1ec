// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/live_trace.h"

#include <errno.h>

#include "analysis/parked.h"
#include "analysis/calls/wait_class.h"
#include "base/clock.h"
#include "base/log.h"
#include "model/summary.h"
#include "trace/keys.h"

/* All that the answer needs, where there are states. */
static int prepare(struct live_trace *l)
{
	const struct trace_info *info = trace_reader_info(l->reader);
	struct model_options opt = { .wakes = true, .on_place = parked_add };

	l->locks = lock_rules_new(info); /* of a summary's functions, too */
	if (l->locks && trace_info_get(info, KEY_SUMMARY))
		return 0;
	l->now.parked = l->locks ? parked_new(info) : NULL;
	if (!l->now.parked) {
		log_no_memory("no memory to read the trace with");
		return -ENOMEM;
	}
	opt.holds = &l->locks->rules;
	opt.place_ctx = l->now.parked;
	l->now.model = model_new(info, &opt);
	return l->now.model ? 0 : -errno;
}

int live_trace_open(struct live_trace *l, const char *path, struct live_feed *feed)
{
	*l = (struct live_trace){ .reader = trace_reader_open(path), .feed = feed };
	if (!l->reader)
		return -errno;
	if (!feed)
		return prepare(l);
	l->locks = feed->locks;
	return 0;
}

void live_trace_close(struct live_trace *l)
{
	live_copy_free(&l->now);
	if (!l->feed)
		lock_rules_free(l->locks);
	trace_reader_close(l->reader);
	*l = (struct live_trace){ 0 };
}

/* Feeds what has come since it was opened, or since the last look, or reads past it where a summary
 * or a feed has all numbers. */
static int read_on(struct live_trace *l)
{
	struct model *const feeds = l->feed ? NULL : l->now.model;
	struct trace_span span;
	int got = trace_reader_again(l->reader);

	while (!got && (got = trace_reader_span(l->reader, &span)) > 0) {
		if (feeds)
			model_allow(feeds, trace_reader_bytes(l->reader));
		got = feeds ? model_feed_span(feeds, &span) : 0;
		if (got)
			log_no_memory("no memory for the contents of the events");
	}
	return got;
}

/* A model with all numbers so far; parked: who tells of goroutines that are alive. NULL and errno
 * after logging. */
static struct model *model_now(struct live_trace *l, struct parked *parked)
{
	const uint8_t *p;
	const char *fault;
	size_t n;
	struct model *m = l->now.model ? model_snapshot(l->now.model)
				       : model_new(trace_reader_info(l->reader), NULL);

	if (m && l->now.model)
		model_snapshot_places(m, parked_add, parked);
	int err = m ? model_finish(m) : -errno;

	if (!err && !l->now.model) {
		int got = trace_reader_summary(l->reader, &p, &n);

		fault = got > 0    ? summary_restore(m, p, n, trace_reader_bytes(l->reader))
			: got == 0 ? "no summary in the file is whole"
				   : "it does not unpack";
		err = fault ? -EBADMSG : 0;
		if (fault)
			log_error("the trace's summary cannot be read: %s",
				  *fault ? fault : "there is no memory for it");
	} else if (err) {
		log_no_memory("no memory for the contents of the trace");
	}
	if (!err)
		return m;
	model_free(m);
	errno = -err;
	return NULL;
}

int live_trace_look(struct live_trace *l, struct loaded_trace *t, uint64_t *up_to_ns)
{
	int err = read_on(l);

	if (!err && l->feed)
		live_feed_newest(l->feed, &l->now);
	*t = (struct loaded_trace){ .info = trace_reader_info(l->reader),
				    .summary = !l->now.model,
				    .locks = l->locks,
				    .locks_lent = true,
				    .parked_later = true };
	if (!err && l->now.parked && !(t->parked = parked_copy(l->now.parked))) {
		log_no_memory("no memory for the contents of the trace");
		err = -ENOMEM;
	}
	t->model = err ? NULL : model_now(l, t->parked);
	if (!t->model)
		return err ? err : -errno;
	t->totals = t->all = model_totals(t->model);
	t->funcs = model_funcs(t->model, &t->n_funcs);
	t->complete = trace_reader_complete(l->reader);
	t->growing = !t->complete && trace_reader_growing(l->reader);
	*up_to_ns = t->totals->up_to_ns;
	if (!*up_to_ns && t->complete)
		*up_to_ns = t->totals->last_ns;
	else if (!*up_to_ns && l->now.model && !l->feed)
		*up_to_ns = clock_monotonic_ns();
	return 0;
}

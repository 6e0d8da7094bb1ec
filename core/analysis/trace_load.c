// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/trace_load.h"

#include <errno.h>

#include "base/log.h"

/* Feeds events with arguments one by one, and all events between two of them at once. */
static int feed_span(struct model *m, const struct trace_span *span, struct trace_watch *w)
{
	size_t at = 0;
	int err = 0;

	for (size_t k = 0; !err && k <= span->n_args; k++) {
		size_t next = k < span->n_args ? span->arg_at[k] : span->n;
		const struct trace_span plain = { .ev = span->ev + at, .n = next - at };

		err = model_feed_span(m, &plain);
		at = next + 1;
		if (err || w->err || k == span->n_args)
			continue;
		struct event_ext ev = { .h = span->ev[next] };

		for (int a = 0; a < 4; a++)
			ev.arg[a] = span->args[k][a];
		err = model_feed(m, &ev);
		if (!err && !w->err)
			w->on_event(w->ctx, &ev);
	}
	return err;
}

/* 0 or -errno, of the model or of reading (logged there). */
static int feed_all(struct model *m, struct trace_reader *r, struct trace_watch *w)
{
	struct trace_span span;
	int err = 0, got = 0;

	while (!err && !w->err && (got = trace_reader_span(r, &span)) > 0) {
		model_allow(m, trace_reader_bytes(r));
		err = w->on_event ? feed_span(m, &span, w) : model_feed_span(m, &span);
	}
	if (got < 0)
		return got;
	return err || w->err ? err : model_finish(m);
}

int trace_load(struct loaded_trace *t, struct trace_reader *r, struct trace_watch *watch)
{
	struct trace_watch none = { 0 }, *w = watch ? watch : &none;
	const struct model_options mo = { .on_entry = w->on_entry,
					  .on_call = w->on_call,
					  .on_prologue_stop = w->on_prologue_stop,
					  .on_goroutine = w->on_goroutine,
					  .ctx = w->ctx };

	*t = (struct loaded_trace){ .info = trace_reader_info(r) };
	t->model = model_new(t->info, &mo);
	if (!t->model)
		return -errno;
	t->totals = model_totals(t->model);
	int err = feed_all(t->model, r, w);

	if (err == -ENOMEM)
		log_error("no memory for what %llu events say",
			  (unsigned long long)t->totals->events);
	if (err == -E2BIG)
		log_error(
			"not a trace of gotrace record: its first %llu bytes claim more goroutines or open calls than so many bytes can hold",
			(unsigned long long)trace_reader_bytes(r));
	t->complete = trace_reader_complete(r);
	t->growing = !t->complete && trace_reader_growing(r);
	t->funcs = model_funcs(t->model, &t->n_funcs);
	return err ? err : w->err;
}

void trace_unload(struct loaded_trace *t)
{
	model_free(t->model);
	*t = (struct loaded_trace){ 0 };
}

uint64_t loaded_trace_span_ns(const struct loaded_trace *t)
{
	const struct model_totals *all = t->totals;

	/* a broken trace may run backwards */
	return all->last_ns > all->first_ns ? all->last_ns - all->first_ns : 0;
}

uint64_t loaded_trace_other_calls(const struct loaded_trace *t)
{
	size_t n;
	const struct path_node *nodes = model_paths(t->model, &n);

	for (size_t i = 1; t->totals->folded_nodes && i < n; i++)
		if (nodes[i].func == PATH_OTHER)
			return nodes[i].stats.calls;
	return 0;
}

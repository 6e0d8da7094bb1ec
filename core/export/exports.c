// SPDX-License-Identifier: BSD-2-Clause
#include "export/exports.h"

#include <errno.h>

#include "base/log.h"

uint64_t export_weight_of(const struct call_stats *st, enum export_weight weight)
{
	switch (weight) {
	case WEIGHT_TOTAL:
		return st->total_ns;
	case WEIGHT_CALLS:
		return st->calls;
	default:
		return st->self_ns;
	}
}

/* The events with arguments one by one, what lies between them at once. */
static int feed_span(struct model *m, const struct trace_span *span, struct export_watch *w)
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

int export_read(struct report *rep, struct trace_reader *r, struct export_watch *w)
{
	static const struct report_options whole = { .by = BY_FUNCTION };
	const struct model_options mo = { .on_entry = w->on_entry,
					  .on_call = w->on_call,
					  .on_goroutine = w->on_goroutine,
					  .ctx = w->ctx };
	struct trace_span span;
	int err = 0, got = 0;

	*rep = (struct report){ .opt = &whole, .info = trace_reader_info(r), .file.fd = -1 };
	rep->model = model_new(rep->info, &mo);
	if (!rep->model)
		return -errno;
	rep->totals = model_totals(rep->model);
	while (!err && !w->err && (got = trace_reader_span(r, &span)) > 0)
		err = w->on_event ? feed_span(rep->model, &span, w)
				  : model_feed_span(rep->model, &span);
	if (got < 0)
		return got;
	if (!err && !w->err)
		err = model_finish(rep->model);
	if (err == -ENOMEM)
		log_error("no memory for what %llu events say",
			  (unsigned long long)rep->totals->events);
	rep->complete = trace_reader_complete(r);
	rep->funcs = model_funcs(rep->model, &rep->n_funcs);
	return err ? err : w->err;
}

int export_load(struct report *rep, struct export_tree *t, struct trace_reader *r, bool go_edges)
{
	struct export_watch none = { 0 };
	int err = export_read(rep, r, &none);

	*t = (struct export_tree){ 0 };
	return err ? err : export_tree_build(t, rep, go_edges);
}

struct collecting {
	struct callfile *calls;
	struct export_watch watch;
};

static void collect(void *ctx, const struct call *c)
{
	struct collecting *to = ctx;

	if (!to->watch.err)
		to->watch.err = callfile_put(to->calls, c);
}

int export_load_calls(struct report *rep, struct export_tree *t, struct callfile *calls,
		      struct trace_reader *r, bool go_edges)
{
	struct collecting to = { .calls = calls,
				 .watch = { .on_entry = collect, .on_call = collect, .ctx = &to } };
	int err = callfile_open(calls);

	*rep = (struct report){ .file.fd = -1 };
	*t = (struct export_tree){ 0 };
	if (!err)
		err = export_read(rep, r, &to.watch);
	return err ? err : export_tree_build(t, rep, go_edges);
}

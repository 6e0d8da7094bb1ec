// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/trace_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/text_format.h"

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

/* Events one by one, where the part that is asked for begins or ends among them. *ended: it did. */
static int feed_edge(struct loaded_trace *t, const struct trace_span *span, struct trace_watch *w,
		     uint64_t from_ns, uint64_t to_ns, bool *begun, bool *ended)
{
	size_t with_args = 0;
	int err = 0;

	for (size_t i = 0; !err && !w->err && i < span->n; i++) {
		struct event_ext ev = { .h = span->ev[i] };
		bool args = with_args < span->n_args && span->arg_at[with_args] == i;

		if (args)
			for (int a = 0; a < 4; a++)
				ev.arg[a] = span->args[with_args][a];
		with_args += args;
		if (!*begun && ev.h.ts_ns >= from_ns) {
			err = model_view_begin(t->model, from_ns);
			*begun = true;
		}
		if (!err && *begun && to_ns && ev.h.ts_ns >= to_ns) {
			if (ev.h.kind != EV_IMAGE) /* which ends all at the event before */
				model_view_end(t->model, to_ns);
			*ended = true;
			break;
		}
		if (!err)
			err = model_feed(t->model, &ev);
		if (!err && !w->err && args && *begun && w->on_event)
			w->on_event(w->ctx, &ev);
	}
	return err;
}

/* Which part of the trace was met so far. */
struct window {
	uint64_t from_ns, to_ns; /* 0: not known before the first event; to: never */
	bool begun, ended;
};

static int feed_window(struct loaded_trace *t, const struct trace_span *span, struct trace_watch *w,
		       struct window *in)
{
	uint64_t first_ns = t->all->first_ns, last_ns = span->ev[span->n - 1].ts_ns;
	const struct trace_view *v = t->view;

	if (in->ended)
		return 0;
	in->from_ns = first_ns + v->from_ns;
	in->to_ns = v->to_ns ? first_ns + v->to_ns : 0;
	if (!in->begun && last_ns < in->from_ns)
		return model_feed_span(t->model, span);
	if (!in->begun || (in->to_ns && last_ns >= in->to_ns))
		return feed_edge(t, span, w, in->from_ns, in->to_ns, &in->begun, &in->ended);
	return w->on_event ? feed_span(t->model, span, w) : model_feed_span(t->model, span);
}

/* 0 or -errno, of the model or of reading (logged there). */
static int feed_all(struct loaded_trace *t, struct trace_reader *r, struct trace_watch *w)
{
	struct window in = { .begun = !t->view || !t->view->from_ns };
	bool window = t->view && (t->view->from_ns || t->view->to_ns);
	struct trace_span span;
	int err = 0, got = 0;

	while (!err && !w->err && (got = trace_reader_span(r, &span)) > 0) {
		model_allow(t->model, trace_reader_bytes(r));
		if (t->whole) {
			model_allow(t->whole, trace_reader_bytes(r));
			err = model_feed_span(t->whole, &span);
		}
		if (!err && window && span.n)
			err = feed_window(t, &span, w, &in);
		else if (!err)
			err = w->on_event ? feed_span(t->model, &span, w)
					  : model_feed_span(t->model, &span);
	}
	if (got < 0)
		return got;
	if (!err && !w->err && !in.begun) /* it was over before */
		err = model_view_begin(t->model, t->model ? t->totals->last_ns : 0);
	if (!err && !w->err && t->whole)
		err = model_finish(t->whole);
	return err || w->err ? err : model_finish(t->model);
}

static int make_models(struct loaded_trace *t, const struct trace_watch *w)
{
	struct model_options mo = { .on_entry = w->on_entry,
				    .on_call = w->on_call,
				    .on_prologue_stop = w->on_prologue_stop,
				    .on_goroutine = w->on_goroutine,
				    .ctx = w->ctx };
	int err = 0;

	if (t->view) {
		err = trace_view_compile(t->view, t->info, &t->model_view);
		mo.view = &t->model_view;
		t->whole = err ? NULL : model_new(t->info, NULL);
		if (!err && !t->whole)
			err = -errno;
	}
	if (err)
		return err;
	t->model = model_new(t->info, &mo);
	if (!t->model)
		return -errno;
	t->totals = model_totals(t->model);
	t->all = t->whole ? model_totals(t->whole) : t->totals;
	return 0;
}

int trace_load(struct loaded_trace *t, struct trace_reader *r, const struct trace_view *view,
	       struct trace_watch *watch)
{
	struct trace_watch none = { 0 }, *w = watch ? watch : &none;

	*t = (struct loaded_trace){ .info = trace_reader_info(r),
				    .view = trace_view_any(view) ? view : NULL };
	int err = make_models(t, w);

	if (err)
		return err;
	err = feed_all(t, r, w);
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
	if (!err && !w->err && t->view && !t->view->said) {
		char *line = loaded_trace_left_out(t);

		log_info("%s", line ? line : "a part of the trace is left out");
		free(line);
	}
	return err ? err : w->err;
}

void trace_unload(struct loaded_trace *t)
{
	model_free(t->model);
	model_free(t->whole);
	free((void *)(uintptr_t)t->model_view.funcs);
	*t = (struct loaded_trace){ 0 };
}

char *loaded_trace_left_out(const struct loaded_trace *t)
{
	char said[TRACE_VIEW_BYTES], *line = NULL;

	if (!t->view)
		return NULL;
	uint64_t shown_ns = t->totals->root_ns + t->totals->probe_ns, all_ns = t->all->root_ns;

	if (asprintf(&line,
		     "shown: %" PRIu64 " of %" PRIu64
		     " call%s, %s of %s (%.1f%%) as measured: %s; the rest is left out",
		     t->totals->calls, t->all->calls, plural(t->all->calls), HUMAN(shown_ns),
		     HUMAN(all_ns), share_pct(shown_ns, all_ns), trace_view_say(t->view, said)) < 0)
		return NULL;
	return line;
}

uint64_t loaded_trace_span_ns(const struct loaded_trace *t)
{
	const struct model_totals *all = t->totals;

	/* a broken trace may run backwards */
	return all->last_ns > all->from_ns ? all->last_ns - all->from_ns : 0;
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

// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/trace_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/warnings.h"
#include "analysis/calls/key_groups.h"
#include "analysis/parked.h"
#include "analysis/samples/sample_load.h"
#include "analysis/calls/wait_class.h"
#include "base/log.h"
#include "base/text_format.h"
#include "model/summary.h"
#include "trace/keys.h"

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
	size_t with_args = 0, with_values = 0;
	int err = 0;

	for (size_t i = 0; !err && !w->err && i < span->n; i++) {
		struct event_ext ev = { .h = span->ev[i] };
		bool args = with_args < span->n_args && span->arg_at[with_args] == i;
		struct trace_values one = { 0 };

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
		if (with_values < span->n_values && span->values[with_values].at == i)
			one = span->values[with_values++];
		one.at = 0;
		model_values(t->model, &one, one.n > 0, &ev.h);
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

/* ---- traces with a summary */

/* Says why a trace cannot be read as wanted. */
static int check_calls(const struct loaded_trace *t, const struct trace_watch *w)
{
	bool calls_back = w->on_entry || w->on_call || w->on_goroutine || w->on_event;
	enum trace_calls wanted = calls_back ? w->calls : CALLS_NONE_WILL_DO;
	bool alone = t->summary && !t->min_duration_ns;

	if (alone && wanted >= CALLS_SOME)
		log_error(
			"this trace has no single calls, only counts and sums; record without --summary, or with "
			"--min-duration, to see calls");
	else if (t->summary && wanted >= CALLS_ALL)
		log_error(
			"this trace has no single calls shorter than %s; record without --min-duration to see "
			"goroutines",
			HUMAN(t->min_duration_ns));
	else if (t->summary && t->view && wanted < CALLS_SOME)
		log_error(
			"this trace has counts and sums of the whole recording, which have no parts; record "
			"without %s to select some%s",
			alone ? "--summary" : "--min-duration", alone ? "" : ", or use --by=call");
	else
		return 0;
	return -ENOTSUP;
}

static int broken_summary(const char *what)
{
	log_error("the trace's summary cannot be read: %s",
		  *what ? what : "there is no memory for it");
	return *what ? -EBADMSG : -ENOMEM;
}

static bool find_totals(const struct loaded_trace *t, struct trace_reader *r,
			struct model_totals *totals)
{
	const uint8_t *p;
	size_t n;

	return t->summary && trace_reader_summary(r, &p, &n) > 0 && !summary_totals(totals, p, n);
}

/* The first event of the recording need not be in the trace. Known already if it matters. */
static void begin(struct loaded_trace *t, struct trace_reader *r)
{
	struct model_totals totals;

	if (find_totals(t, r, &totals) && totals.first_ns)
		model_begins_at(t->model, totals.first_ns);
}

/* Nor the last, where what is open ends. */
static void end(struct loaded_trace *t, struct trace_reader *r)
{
	struct model_totals totals;

	if (find_totals(t, r, &totals) && totals.last_ns > t->totals->last_ns)
		model_view_end(t->model, totals.last_ns);
}

/* The part begins behind the last event that is in the trace. */
static int begin_late(struct loaded_trace *t, struct trace_reader *r)
{
	const struct model_totals *now = t->totals;
	struct model_totals all = { 0 };

	if (!find_totals(t, r, &all) || all.last_ns < now->last_ns)
		all.last_ns = now->last_ns;
	return now->events && all.last_ns - now->first_ns < t->view->from_ns
		       ? trace_view_too_late(t->view, all.last_ns - now->first_ns, "event")
		       : model_view_begin(t->model, now->last_ns);
}

/* The summary's numbers take the place of those of the events that there are. */
static int restore(struct loaded_trace *t, struct trace_reader *r)
{
	const uint8_t *p;
	size_t n;
	int got = trace_reader_summary(r, &p, &n);

	if (got == -ENOMEM)
		return broken_summary("");
	if (got <= 0)
		return broken_summary(got ? "it does not unpack"
					  : "no summary in the file is whole");
	const char *fault = summary_restore(t->model, p, n, trace_reader_bytes(r));

	return fault ? broken_summary(fault) : 0;
}

/* 0 or -errno, of the model or of reading (logged there). */
static int feed_all(struct loaded_trace *t, struct trace_reader *r, struct trace_watch *w)
{
	struct window in = { .begun = !t->view || !t->view->from_ns };
	bool window = t->view && (t->view->from_ns || t->view->to_ns);
	struct trace_span span;
	int err = 0, got = 0;

	while (!err && !w->err && (got = trace_reader_span(r, &span)) > 0) {
		if (!t->totals->events)
			begin(t, r);
		model_allow(t->model, trace_reader_bytes(r));
		if (t->whole) {
			model_allow(t->whole, trace_reader_bytes(r));
			err = model_feed_span(t->whole, &span);
		}
		model_values(t->model, span.values, span.n_values, span.ev);
		if (!err && window && span.n)
			err = feed_window(t, &span, w, &in);
		else if (!err)
			err = w->on_event ? feed_span(t->model, &span, w)
					  : model_feed_span(t->model, &span);
	}
	model_values(t->model, NULL, 0, NULL);
	t->stored_bytes = trace_reader_bytes(r);
	if (got < 0)
		return got;
	if (!err && !w->err && !in.begun)
		err = begin_late(t, r);
	if (!err && !w->err && t->whole)
		err = model_finish(t->whole);
	if (!err && !w->err && !in.ended)
		end(t, r);
	if (!err && !w->err)
		err = model_finish(t->model);
	if (!err && !w->err && t->parked && !t->parked_later)
		err = parked_leave_out(t->parked, t->model, loaded_trace_span_ns(t));
	return err || w->err || !t->summary || t->view ? err : restore(t, r);
}

/* By the keys asked for, else by those that it was recorded for. "none": not at all. */
static int make_groups(struct loaded_trace *t, const struct trace_view *view)
{
	const char *keys[32];
	size_t n = 0;
	char name[32];

	if (view && view->n_keys) {
		bool none = !strcmp(view->keys[view->n_keys - 1], "none");

		if (none)
			return 0;
		/* It grows by its groups; nobody else has a pointer into it yet. */
		t->groups = key_groups_new((struct trace_info *)(uintptr_t)t->info, view->keys,
					   view->n_keys);
		return t->groups ? 0 : -errno;
	}
	while (n < sizeof(keys) / sizeof(keys[0])) {
		snprintf(name, sizeof(name), KEY_SELECT_KEY ".%zu", n);
		keys[n] = trace_info_get(t->info, name);
		if (!keys[n])
			break;
		n++;
	}
	if (n)
		t->groups = key_groups_new((struct trace_info *)(uintptr_t)t->info, keys, n);
	return n && !t->groups ? -errno : 0;
}

static int make_models(struct loaded_trace *t, const struct trace_watch *watch)
{
	static const struct trace_watch none;
	bool unfit = t->summary && watch->calls == CALLS_NONE_WILL_DO;
	const struct trace_watch *w = unfit ? &none : watch;
	struct model_options mo = { .on_entry = w->on_entry,
				    .on_call = w->on_call,
				    .on_prologue_stop = w->on_prologue_stop,
				    .on_goroutine = w->on_goroutine,
				    .on_state = w->on_state,
				    .path_selfs = watch->path_selfs,
				    .call_waits = w->call_waits,
				    .wakes = w->wakes || t->parked,
				    .holds = t->locks ? &t->locks->rules : NULL,
				    .ctx = w->ctx,
				    .group = t->groups ? key_groups_row : NULL,
				    .group_ctx = t->groups };
	int err = 0;

	if (t->view) {
		err = trace_view_compile(t->view, t->info, t->groups ? &t->view_rows : NULL,
					 &t->model_view);
		mo.view = &t->model_view;
		t->whole = err ? NULL : model_new(t->info, NULL);
		if (!err && !t->whole)
			err = -errno;
	}
	if (!err && t->parked) {
		mo.on_place = parked_add;
		mo.place_ctx = t->parked;
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

static int load_events(struct loaded_trace *t, struct trace_reader *r,
		       const struct trace_view *view, struct trace_watch *w)
{
	int err = check_calls(t, w);

	if (!err && view && view->n_processes) {
		log_error("--process is for samples; record with 'gotrace sample'");
		err = -ENOTSUP;
	}
	if (!err)
		err = make_groups(t, view);
	t->parked_later = w->parked && !(view && (view->leave_out_parked || view->parked));
	if (!err && (t->parked_later || (view && view->leave_out_parked)) && !t->summary &&
	    !(view && (view->from_ns || view->to_ns))) {
		t->parked = parked_new(t->info);
		err = t->parked ? 0 : -ENOMEM;
	}
	if (!err && w->holds) {
		t->locks = lock_rules_new(t->info);
		err = t->locks ? 0 : -ENOMEM;
	}
	if (!err)
		err = make_models(t, w);
	if (!err)
		err = feed_all(t, r, w);
	return !err && t->groups && t->view ? trace_view_check(t->view, t->info) : err;
}

int trace_load(struct loaded_trace *t, struct trace_reader *r, const struct trace_view *view,
	       struct trace_watch *watch)
{
	struct trace_watch none = { 0 }, *w = watch ? watch : &none;

	*t = (struct loaded_trace){ .info = trace_reader_info(r),
				    .view = trace_view_any(view) ? view : NULL,
				    .request = view ? view->request : NULL };
	t->summary = trace_info_get(t->info, KEY_SUMMARY) != NULL;
	t->min_duration_ns = trace_info_u64(t->info, KEY_MIN_DURATION_NS, 0);
	int err = trace_is_samples(t->info) ? sample_load(t, r, view && view->leave_out_parked, w)
					    : load_events(t, r, view, w);

	if (!t->model)
		return err;
	t->tables = trace_reader_tables(r);
	if (err == -ENOMEM)
		log_no_memory("no memory for the contents of %llu events",
			      (unsigned long long)t->totals->events);
	if (err == -E2BIG)
		log_error(
			"not a trace of gotrace record, because its first %llu bytes claim more goroutines, open "
			"calls or samples than so many bytes can hold",
			(unsigned long long)trace_reader_bytes(r));
	t->complete = trace_reader_complete(r);
	t->growing = !t->complete && trace_reader_growing(r);
	t->funcs = model_funcs(t->model, &t->n_funcs);
	if (t->groups && key_groups_full(t->groups))
		log_warn(
			"--key has more than %d values; calls of further values are shown as {...}",
			KEY_GROUPS_MAX);
	if (!err && !w->err && t->view && !t->view->said) {
		char *line = loaded_trace_left_out(t);

		log_info("%s", line ? line : "a part of the trace is left out");
		free(line);
	}
	if (!err && !w->err && view && view->leave_out_parked && !view->said) {
		char *line = parked_say(t->parked, t->model, t->info);

		if (line)
			log_info("%s", line);
		free(line);
	}
	if (!err && !w->err && view && view->log_warnings)
		err = warnings_log(t);
	return err ? err : w->err;
}

int loaded_trace_mark(const struct loaded_trace *t, const char *option, const char *const *globs,
		      size_t n, uint8_t *funcs)
{
	int err = trace_view_mark(option, globs, n, 1, t->info, funcs);

	for (uint32_t i = 0; !err && t->groups && i < t->n_funcs; i++)
		funcs[i] |= funcs[model_plain_func(t->model, i)];
	return err;
}

void trace_unload(struct loaded_trace *t)
{
	model_free(t->model);
	model_free(t->whole);
	sample_unload(t->samples);
	parked_free(t->parked);
	key_groups_free(t->groups);
	if (!t->locks_lent)
		lock_rules_free(t->locks);
	free((void *)(uintptr_t)t->model_view.funcs);
	*t = (struct loaded_trace){ 0 };
}

int loaded_trace_leave_out_parked(struct loaded_trace *t)
{
	if (!t->parked || !t->parked_later)
		return 0;
	t->parked_later = false;
	return parked_leave_out(t->parked, t->model, loaded_trace_span_ns(t));
}

char *loaded_trace_left_out(const struct loaded_trace *t)
{
	char said[TRACE_VIEW_BYTES], *line = NULL;

	if (!t->view)
		return NULL;
	uint64_t shown_ns = t->totals->root_ns + t->totals->probe_ns + parked_ns(t->parked),
		 all_ns = t->all->root_ns;

	if (asprintf(&line,
		     "shown: %" PRIu64 " of %" PRIu64
		     " %s%s, %s of %s (%.1f%%)%s: %s; the rest is left out",
		     t->totals->calls, t->all->calls, t->samples ? "sample" : "call",
		     plural(t->all->calls), HUMAN(shown_ns), HUMAN(all_ns),
		     share_pct(shown_ns, all_ns), t->samples ? "" : " as measured",
		     trace_view_say(t->view, said)) < 0)
		return NULL;
	return line;
}

uint64_t loaded_trace_span_ns(const struct loaded_trace *t)
{
	const struct model_totals *all = t->totals;

	/* a broken trace may run backwards */
	return all->last_ns > all->from_ns ? all->last_ns - all->from_ns : 0;
}

bool loaded_trace_stretch(const struct loaded_trace *t, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct trace_view *v = t->view;
	const uint64_t real_less_monotonic = trace_info_u64(t->info, KEY_CLOCK_REALTIME_NS, 0) -
					     trace_info_u64(t->info, KEY_CLOCK_MONOTONIC_NS, 0);
	const uint64_t first_ns = t->samples ? t->samples->first_ns + real_less_monotonic : 0;

	if (!t->samples || !trace_info_stretch(t->info, from_ns, to_ns))
		return false;
	if (v && v->from_ns)
		*from_ns = first_ns + v->from_ns;
	if (v && v->to_ns && first_ns + v->to_ns < *to_ns)
		*to_ns = first_ns + v->to_ns;
	return *to_ns > *from_ns;
}

uint64_t loaded_trace_length_ns(const struct loaded_trace *t)
{
	uint64_t from_ns, to_ns;

	if (loaded_trace_stretch(t, &from_ns, &to_ns))
		return to_ns - from_ns;
	/* an older one says at least how long snapshots were taken */
	return t->samples ? trace_info_u64(t->info, KEY_END_SNAPSHOTS_NS, loaded_trace_span_ns(t))
			  : loaded_trace_span_ns(t);
}

uint64_t loaded_trace_wall_ns(const struct loaded_trace *t)
{
	return trace_info_u64(t->info, KEY_END_TARGET_WALL_NS, loaded_trace_length_ns(t));
}

bool loaded_trace_is_part(const struct loaded_trace *t)
{
	const char *reason = trace_info_get(t->info, KEY_END_REASON);

	return !reason || strcmp(reason, REASON_EXITED) ||
	       !trace_info_u64(t->info, KEY_END_TARGET_WALL_NS, 0);
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

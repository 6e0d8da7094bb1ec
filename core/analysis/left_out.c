// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/left_out.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/trace_names.h"
#include "base/text_format.h"
#include "trace/keys.h"

double left_out_scale(const struct trace_info *info)
{
	uint64_t seen = trace_info_u64(info, KEY_END_TRIGGER_SEEN, 0),
		 kept = trace_info_u64(info, KEY_END_TRIGGER_KEPT, 0);

	return kept && seen > kept ? (double)seen / (double)kept : 1;
}

uint64_t left_out_all(const struct trace_info *info, uint64_t n)
{
	uint64_t seen = trace_info_u64(info, KEY_END_TRIGGER_SEEN, 0),
		 kept = trace_info_u64(info, KEY_END_TRIGGER_KEPT, 0);

	if (!kept || seen <= kept)
		return n;
	unsigned __int128 all = (unsigned __int128)n * seen / kept;
	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

/* "main.handle, main.f*" */
static const char *triggers(const struct trace_info *info, char *buf, size_t size)
{
	size_t at = 0;
	char key[48];
	const char *v;

	*buf = '\0';
	for (unsigned i = 0; at < size; i++) {
		snprintf(key, sizeof(key), KEY_KEEP_TRIGGER ".%u", i);
		v = trace_info_get(info, key);
		if (!v)
			break;
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "", v);
	}
	return buf;
}

static void trigger_notes(const struct loaded_trace *trace, struct notes *to)
{
	const struct trace_info *info = trace->info;
	uint64_t seen = trace_info_u64(info, KEY_END_TRIGGER_SEEN, 0),
		 kept = trace_info_u64(info, KEY_END_TRIGGER_KEPT, 0),
		 one_in = trace_info_u64(info, KEY_KEEP_ONE_IN, 0);
	char list[512];

	if (!*triggers(info, list, sizeof(list)))
		return;
	notes_add(to,
		  "only calls inside %s, and goroutines started there, are recorded (--trigger)",
		  list);
	if (!one_in) {
		if (trace->complete && !seen)
			notes_add(to, "it was never called");
		return;
	}
	if (!trace->complete) {
		notes_add(
			to,
			"one in %" PRIu64
			" of its outermost calls is recorded (--one-in); there were about that many times as many",
			one_in);
		return;
	}
	notes_add(to,
		  "%" PRIu64 " of %" PRIu64
		  " outermost calls of it were recorded (--one-in %" PRIu64 "), whole",
		  kept, seen, one_in);
	if (kept && kept < seen)
		notes_add(
			to,
			"counts and times are those of the recorded ones; for all of them an estimate is "
			"%.4g times as much",
			left_out_scale(info));
}

static void window_notes(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;
	uint64_t delay_ns = trace_info_u64(trace->info, KEY_KEEP_DELAY_NS, 0);
	bool toggle = trace_info_get(trace->info, KEY_KEEP_TOGGLE);
	uint64_t span_ns = t->last_ns > t->first_ns ? t->last_ns - t->first_ns : 0;

	if (delay_ns)
		notes_add(to, "recording began after %s (--delay)%s", HUMAN(delay_ns),
			  t->windows ? "" : ", but the program had ended by then");
	if (toggle)
		notes_add(to,
			  "recording was switched by signals (--toggle): it was on for %s of %s",
			  HUMAN(span_ns > t->off_ns ? span_ns - t->off_ns : 0), HUMAN(span_ns));
	if (trace_info_get(trace->info, KEY_KEEP_RESTS)) {
		if (t->windows)
			notes_add(
				to,
				"calls that were open when it began are not recorded, and paths begin below them; calls "
				"that were open when it ended count as unfinished");
	} else if (t->windows && t->window_why != WINDOW_BY_ROOM) {
		notes_add(
			to,
			"calls that were open when it began or ended are cut there, and have no duration");
	}
}

static void last_notes(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;
	const char *last = trace_info_get(trace->info, KEY_KEEP_LAST),
		   *when = trace_info_get(trace->info, KEY_KEEP_WHEN);
	uint64_t ns = trace_info_u64(trace->info, KEY_END_WINDOW_NS, 0);

	if (!last)
		return;
	if (t->window_why == WINDOW_BY_ROOM) {
		notes_add(
			to,
			"flight recorder (--keep-last %s): only the last %s are in this trace%s",
			last, HUMAN(ns),
			trace_info_u64(trace->info, KEY_END_WINDOW_FULL, 0)
				? ". There was no room for more; give a size (60s,500M), or select fewer functions"
				: "");
		notes_add(
			to,
			"calls that were open where the trace begins count from there on (begun before)");
	} else {
		notes_add(to, "flight recorder (--keep-last %s): all events are in this trace",
			  last);
	}
	if (t->hits)
		notes_add(to,
			  "written because %s on goroutine %" PRIu64
			  " had taken %s, %s after the first event (--when '%s')",
			  t->hit_func < trace->n_funcs ? trace_name_func(trace->info, t->hit_func)
						       : "a call",
			  t->hit_goid, HUMAN(t->hit_took_ns),
			  HUMAN(t->hit_ns > t->first_ns ? t->hit_ns - t->first_ns : 0),
			  when ? when : "");
}

void left_out_notes(const struct loaded_trace *trace, struct notes *to)
{
	uint64_t depth = trace_info_u64(trace->info, KEY_KEEP_DEPTH, 0);

	trigger_notes(trace, to);
	if (depth)
		notes_add(to,
			  "calls inside %" PRIu64
			  " others are not recorded (--depth); their time is self time of these",
			  depth);
	window_notes(trace, to);
	last_notes(trace, to);
}

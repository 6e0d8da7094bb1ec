// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/warnings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/calls/released.h"
#include "base/log.h"
#include "base/text_format.h"
#include "trace/keys.h"

static bool ended_by(const struct loaded_trace *trace, const char *reason)
{
	const char *why = trace_info_get(trace->info, KEY_END_REASON);

	return why && !strcmp(why, reason);
}

bool trace_reached_end(const struct loaded_trace *trace)
{
	return trace->complete && !ended_by(trace, REASON_WRITE_ERROR);
}

void warnings_of_end(const struct loaded_trace *trace, struct notes *to)
{
	if (ended_by(trace, REASON_WRITE_ERROR))
		notes_add(to,
			  "recording was cut short: the trace could not be written any further");
	if (ended_by(trace, REASON_FAILED))
		notes_add(to,
			  "recording was ended by an error of gotrace before the program ended");
	if (trace->complete)
		return;
	if (trace->summary)
		notes_add(
			to,
			"%s. Its numbers are from its last summary, a few seconds %s; calls that were open then "
			"count as unfinished",
			trace->growing
				? "this trace is still being recorded"
				: "this trace is incomplete, so gotrace was killed or the disk was full",
			trace->growing ? "old at the most" : "before the end at the most");
	else if (trace->growing)
		notes_add(to, "this trace is still being recorded and was read up to its last %s",
			  trace->samples ? "sample so far"
					 : "event so far; calls open there count as unfinished");
	else
		notes_add(
			to,
			"this trace is incomplete (no end record), so gotrace was killed, the disk was full or "
			"the file was cut%s",
			trace->samples ? "" : "; calls open at its last event count as unfinished");
}

void warnings_of_images(const struct loaded_trace *trace, struct notes *to)
{
	uint64_t missed = trace_info_u64(trace->info, KEY_END_MISSED_IMAGES, 0);

	if (missed)
		notes_add(
			to,
			"the process executed itself again from a thread that was not its first. It was not recorded from there on (%" PRIu64
			" image%s), so every count and time here is too small",
			missed, plural(missed));
}

static const struct {
	const char *key, *why;
} drops[] = {
	{ KEY_END_DROPPED_SIGNAL_STACK, "on a signal stack" },
	{ KEY_END_DROPPED_OUTSIDE_STACK, "outside the stack of their goroutine" },
	{ KEY_END_DROPPED_FAULT, "where the goroutine could not be read" },
};

bool warnings_of_drops(const struct loaded_trace *trace, struct notes *to)
{
	const char *joint = "probe hits dropped in the kernel:";
	char line[256];
	size_t len = 0;

	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
		uint64_t n = trace_info_u64(trace->info, drops[i].key, 0);

		if (!n)
			continue;
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s %" PRIu64 " %s", joint,
					n, drops[i].why);
		joint = ",";
	}
	if (len)
		notes_add(to, "%s", line);
	return len;
}

void warnings_of_events(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;

	if (t->bad_events)
		notes_add(to, "%" PRIu64 " event%s could not be interpreted: left out",
			  t->bad_events, plural(t->bad_events));
	if (trace_info_u64(trace->info, KEY_END_LAYOUT_WRONG, 0))
		notes_add(
			to,
			"the first events contradict the layout of runtime.g that gotrace assumed for this Go "
			"version; do not trust this trace");
}

/* The sentence on losses for a trace without a loss record. */
static const char *none_lost(const struct loaded_trace *trace, bool any_dropped)
{
	if (!trace_reached_end(trace))
		return "the number of lost events is not known; the readable part has no loss";
	if (trace_info_u64(trace->info, KEY_END_RINGS_DISABLED, 0))
		return "no other event is known to be lost";
	if (trace_info_u64(trace->info, KEY_END_MISSED_IMAGES, 0) ||
	    trace_info_u64(trace->info, KEY_END_TEXT_GONE, 0))
		return "no event was lost of the recorded part";
	return any_dropped ? "no other event was lost" : "no event was lost";
}

void warnings_of_losses(const struct loaded_trace *trace, bool any_dropped, struct notes *to)
{
	const struct model_totals *t = trace->all;
	char events[160], calls[96] = "";

	snprintf(events, sizeof(events), "%s", none_lost(trace, any_dropped));
	if (t->lost_events || t->loss_records)
		snprintf(events, sizeof(events), "%" PRIu64 " event%s lost in %" PRIu64 " gap%s%s",
			 t->lost_events, t->lost_events == 1 ? " was" : "s were", t->loss_records,
			 plural(t->loss_records),
			 trace_reached_end(trace)
				 ? ""
				 : ", and more may have been lost in the unreadable part");
	if (t->suspect_calls)
		snprintf(calls, sizeof(calls), "; %" PRIu64 " call%s suspect, %.2f%% of the time",
			 t->suspect_calls, t->suspect_calls == 1 ? " is" : "s are",
			 share_pct(t->suspect_ns, t->root_ns + t->probe_ns));
	notes_add(to, "%s%s", events, calls);
}

bool warnings_include(const struct trace_kv *kv)
{
	if (strncmp(kv->key, KEY_WARN, strlen(KEY_WARN)) != 0)
		return false;
	/* These name a price, or functions that were not to be traced: no number is wrong for it.
	 */
	return !(!strcmp(kv->key, KEY_WARN_LOAD) || !strcmp(kv->key, KEY_WARN_STUBS) ||
		 !strncmp(kv->value, WARN_UNTRACED, strlen(WARN_UNTRACED)));
}

void warnings_all(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;
	uint64_t samples = trace_info_u64(trace->info, KEY_END_SAMPLES_LOST, 0);

	warnings_of_end(trace, to);
	for (size_t i = 0; i < trace->info->n_kvs; i++)
		if (warnings_include(&trace->info->kvs[i]))
			notes_add(to, "%s", trace->info->kvs[i].value);
	if (trace->samples) {
		if (samples)
			notes_add(to, "%" PRIu64 " sample%s lost", samples,
				  samples == 1 ? " was" : "s were");
		return;
	}
	if (released_doubt(trace, to))
		to->err = -ENOMEM;
	warnings_of_images(trace, to);
	const bool any_dropped = warnings_of_drops(trace, to);

	warnings_of_events(trace, to);
	if (t->lost_events || t->loss_records || t->suspect_calls)
		warnings_of_losses(trace, any_dropped, to);
}

int warnings_log(const struct loaded_trace *trace)
{
	struct notes all = { 0 };
	int err;

	warnings_all(trace, &all);
	err = all.err;
	for (size_t i = 0; !err && i < all.n; i++)
		log_warn("%s", all.lines[i]);
	if (err)
		log_no_memory("no memory for the warnings of a trace");
	notes_free(&all);
	return err;
}

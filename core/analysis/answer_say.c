// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answer.h"
#include "analysis/trace_names.h"
#include "analysis/calls/wait_rows.h"
#include "analysis/calls/wakers.h"
#include "base/text_format.h"
#include "trace/keys.h"

#define MAIN_PCT      60 /* with so much of the time the first part stands alone */
#define PART_PCT      10 /* a part with less of the time is not printed */
#define ALL_PCT       95 /* of a part: its longest reason stands for all of it */
#define HELD_PCT      10 /* a holder with less of all holding is not printed */
#define NEXT_PCT      20
#define TIMER_PCT     90 /* of the time that others end */
#define CPU_PCT       25 /* from here on the row `meanwhile` is printed */
#define COLLECTOR_PCT 10

static double pct(const struct explained *e, size_t i)
{
	return share_pct(e->parts[i].ns, e->total_ns);
}

/* The goroutines that end its waits had waited themselves. */
static const char *through(const struct explained *e)
{
	return !e->n_wakers || e->parts[0].is == CLASS_LOCK ? ""
	       : e->via == CLASS_NET                        ? " that wait for the network"
	       : e->via == CLASS_SLEEP                      ? " that sleep"
							    : "";
}

/* The runtime alone ends its selects and receives: with a timer, as the network has a reason of its
 * own (runtime/netpoll.go, time.go). */
static bool waits_for_timer(const struct explained *e)
{
	return e->parts[0].is == CLASS_CHAN && e->n_wakers && e->wakers[0].by == WAKE_RUNTIME &&
	       share_pct(e->wakers[0].ns, e->wakers_ns) >= TIMER_PCT;
}

/* "main.f waits 73% of its time for a lock", or several things that it does. */
static void sentence(FILE *out, const struct explained *e, const struct trace_info *info)
{
	size_t n = 1;

	while (n < 3 && pct(e, 0) < MAIN_PCT && pct(e, n) >= PART_PCT)
		n++;
	text_safe(out, trace_name_func(info, e->func));
	for (size_t i = 0; i < n; i++) {
		const struct wait_class_words does = wait_class_words(e->parts[i].is);

		fprintf(out, "%s %s %.0f%%%s%s%s",
			!i           ? ""
			: i + 1 == n ? " and"
				     : ",",
			does.verb, pct(e, i), i ? "" : " of its time",
			!i && waits_for_timer(e) ? " for a timer" : does.object,
			i ? "" : through(e));
	}
}

static void row(FILE *out, const char *heading)
{
	fprintf(out, "  %-9s ", heading);
}

static bool waits(const struct explained *e)
{
	return e->parts[0].is >= CLASS_LOCK;
}

struct answer_place answer_where(const struct explained *e)
{
	if (e->most != SUBJECT_NONE && 2 * e->most_ns >= e->parts[0].ns)
		return (struct answer_place){ e->most, e->most_ns, false };
	if (e->in != SUBJECT_NONE)
		return (struct answer_place){ e->in, e->in_ns, true };
	return (struct answer_place){ SUBJECT_NONE, e->parts[0].ns, false };
}

static void where(FILE *out, const struct explained *e, const struct trace_info *info)
{
	char number[WAIT_REASON_BYTES];
	const struct answer_place at = answer_where(e);

	if (!waits(e) && at.func == SUBJECT_NONE)
		return;
	row(out, "where");
	if (at.func != SUBJECT_NONE) {
		fputs(!at.callees && e->doubtful ? "≈ " : "", out); /* as in the table */
		text_safe(out, trace_name_func(info, at.func));
		fprintf(out, "%s%s", at.callees ? " and its callees" : "", waits(e) ? ", " : "");
	}
	if (waits(e)) {
		fputs(share_pct(e->reason_ns, e->parts[0].ns) < ALL_PCT ? "mostly " : "", out);
		text_safe(out, wait_reason(info, e->reason, number));
	}
	fprintf(out, " (%.0f%%)\n", share_pct(at.ns, e->total_ns));
}

static void ended_by(FILE *out, const struct explained *e, const struct trace_info *info)
{
	if (!e->n_wakers || share_pct(e->wakers[0].ns, e->wakers_ns) < PART_PCT)
		return;
	row(out, "ended by");
	for (size_t i = 0; i < e->n_wakers; i++)
		if (share_pct(e->wakers[i].ns, e->wakers_ns) >= PART_PCT) {
			fputs(i ? ", " : "", out);
			text_safe(out, e->wakers[i].by == WAKE_NO_CALL
					       ? "goroutines whose functions are not recorded"
					       : wake_name(info, e->wakers[i].by));
			fprintf(out, " %.0f%%", share_pct(e->wakers[i].ns, e->wakers_ns));
		}
	fputc('\n', out);
}

const struct hold *answer_held(const struct explained *e)
{
	return e->parts[0].is == CLASS_LOCK && e->held.n &&
			       share_pct(e->held.ns, e->held_ns) >= HELD_PCT
		       ? &e->held
		       : NULL;
}

static void held_by(FILE *out, const struct explained *e, const struct trace_info *info)
{
	const struct hold *h = answer_held(e);

	if (e->parts[0].is != CLASS_LOCK)
		return;
	row(out, "held by");
	if (!h) {
		fputs("not recorded\n", out);
		return;
	}
	text_safe(out, trace_name_func(info, h->by));
	if (h->n == 1)
		fprintf(out, ", once, %s or less", HUMAN(h->ns));
	else
		fprintf(out, ", %" PRIu64 " times, mean %s or less, longest %s", h->n,
			HUMAN(h->ns / h->n), HUMAN(h->longest_ns));
	if (h->did != h->by) {
		fprintf(out, ", %.0f%% of it in ", share_pct(h->did_ns, h->ns));
		text_safe(out, trace_name_func(info, h->did));
	}
	fputc('\n', out);
}

static void there(FILE *out, const struct answer *a, const struct trace_info *info)
{
	const struct explained *e = &a->next;

	if (!e->calls || pct(e, 0) < NEXT_PCT)
		return;
	row(out, a->started ? "started" : "there");
	sentence(out, e, info);
	fputs(share_pct(e->but_ns, e->total_ns + e->but_ns) < 1 ? ""
	      : a->holds_itself                                 ? ", apart from waits for locks"
								: ", apart from waits for work",
	      out);
	if (e->most != SUBJECT_NONE && e->most != e->func && 2 * e->most_ns >= e->parts[0].ns) {
		fputs(", most of it in ", out);
		text_safe(out, trace_name_func(info, e->most));
	}
	fputc('\n', out);
}

static double share_of(const struct explained *e, enum wait_class is)
{
	for (size_t i = 0; i < CLASSES; i++)
		if (e->parts[i].is == is)
			return pct(e, i);
	return 0;
}

static void collector(FILE *out, const struct answer *a)
{
	const double waits = share_of(&a->why, CLASS_GC),
		     works = a->collector_known ? share_pct(a->collector_ns, a->run_ns) : 0;
	const bool busy = a->why.parts[0].is == CLASS_RUN || a->why.parts[0].is == CLASS_CPU;

	if (waits < COLLECTOR_PCT && (!busy || works < COLLECTOR_PCT))
		return;
	row(out, "collector");
	if (waits >= 1)
		fprintf(out, "waits for it take %.0f%% of the time%s", waits,
			works >= 1 ? ", " : "");
	if (works >= 1)
		fprintf(out, "its goroutines take %.0f%% of all processor time", works);
	fputc('\n', out);
}

#define AVERAGE(milli) ((double)(milli) / 1000)
#define NEXT_TO_NONE   50 /* thousandths of a goroutine */

/* ", 1.3 waited", unless that is next to none. */
static void besides(FILE *out, uint64_t milli, const char *did)
{
	if (milli >= NEXT_TO_NONE)
		fprintf(out, ", %.1f %s", AVERAGE(milli), did);
}

/* Why goroutines that would run do not. */
static void meanwhile(FILE *out, const struct answer *a, const struct trace_info *info)
{
	if (share_of(&a->why, CLASS_CPU) < CPU_PCT)
		return;
	row(out, "meanwhile");
	const uint64_t cpus = trace_info_u64(info, KEY_HOST_CPUS, 0);

	fprintf(out, "on average %.1f goroutines ran", AVERAGE(a->ran));
	if (a->go_processors)
		fprintf(out, " on %" PRIu64 " of %" PRIu64 " processors (GOMAXPROCS)",
			a->go_processors, cpus);
	else if (cpus)
		fprintf(out, " on %" PRIu64 " processors", cpus);
	besides(out, a->in_calls, "were in system calls");
	besides(out, a->ready, "waited for Go's scheduler");
	besides(out, a->off_cpu, "waited for a processor");
	if (a->ran_most != SUBJECT_NONE) {
		fputs("; ", out);
		text_safe(out, trace_name_func(info, a->ran_most));
		fputs(" ran most", out);
	}
	fputc('\n', out);
}

char *answer_say(const struct answer *a, const struct trace_info *info)
{
	const struct explained *e = &a->why;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (e->calls) {
		sentence(out, e, info);
		if (e->calls == 1)
			fprintf(out, " (1 call, %s of %s)\n", HUMAN(e->total_ns),
				HUMAN(a->span_ns));
		else
			fprintf(out, " (%" PRIu64 " calls, mean %s, together %s in %s)\n", e->calls,
				HUMAN(e->total_ns / e->calls), HUMAN(e->total_ns),
				HUMAN(a->span_ns));
		where(out, e, info);
		if (e->many != SUBJECT_NONE && e->calls > 1) {
			row(out, "calls");
			text_safe(out, trace_name_func(info, e->many));
			fprintf(out, " %.0f times in each call\n",
				(double)e->many_calls / (double)e->calls);
		}
		ended_by(out, e, info);
		held_by(out, e, info);
		there(out, a, info);
		collector(out, a);
		meanwhile(out, a, info);
	}
	return text_stream_close(out, &text) ? NULL : text;
}

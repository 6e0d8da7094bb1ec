// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/sample_notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text_format.h"
#include "trace/keys.h"

double sample_pct(const struct loaded_trace *t, uint64_t weight_ns, uint64_t samples)
{
	const struct model_totals *all = t->totals;

	return all->root_ns ? share_pct(weight_ns, all->root_ns) : share_pct(samples, all->calls);
}

void sample_headline(const struct loaded_trace *t, struct notes *to)
{
	const struct sample_counts *c = &t->samples->shown;
	const char *event = trace_info_get(t->info, KEY_SAMPLE_EVENT);
	const char *hz = trace_info_get(t->info, KEY_SAMPLE_FREQUENCY);

	if (t->samples->wall) {
		notes_add(
			to,
			"%" PRIu64 " sample%s of %s%s%s%s and %" PRIu64
			" of snapshots of goroutines in %s; they stand for %s of goroutines' time",
			c->run_samples, plural(c->run_samples), event ? event : "what executed",
			hz ? " at " : "", hz ? hz : "", hz ? " Hz" : "",
			c->samples - c->run_samples,
			HUMAN(trace_info_u64(t->info, KEY_END_SNAPSHOTS_NS,
					     loaded_trace_span_ns(t))),
			HUMAN(c->weight_ns));
		return;
	}
	if (event && !hz) { /* no clock: a weight is no time */
		notes_add(to,
			  "%" PRIu64
			  " sample%s of %s in %s; of a time, 1us stands for 1,000 of these",
			  c->samples, plural(c->samples), event, HUMAN(loaded_trace_span_ns(t)));
		return;
	}
	notes_add(to, "%" PRIu64 " sample%s%s%s%s%s%s in %s; they stand for %s%s", c->samples,
		  plural(c->samples), event ? " of " : "", event ? event : "", hz ? " at " : "",
		  hz ? hz : "", hz ? " Hz" : "", HUMAN(loaded_trace_span_ns(t)),
		  HUMAN(c->weight_ns), t->samples->shown.weight_ns ? "" : " (no weights)");
}

/* How much processor time no sample stands for. */
static void without(const struct loaded_trace *t, struct notes *to)
{
	uint64_t cpu_ns = trace_info_u64(t->info, KEY_END_SAMPLED_CPU_NS, 0),
		 has_ns = t->samples->all.run_ns;

	if (!cpu_ns)
		cpu_ns = trace_info_u64(t->info, KEY_END_TARGET_CPU_NS, 0);
	if (!cpu_ns)
		notes_add(to, "how much processor time has no sample is not known");
	else if (cpu_ns > has_ns)
		notes_add(to, "%.1f%% of the processor time, %s, has no sample",
			  share_pct(cpu_ns - has_ns, cpu_ns), HUMAN(cpu_ns));
	else
		notes_add(to, "samples stand for all of the processor time, %s", HUMAN(cpu_ns));
}

static void missing(const struct loaded_trace *t, struct notes *to)
{
	const struct sample_counts *c = &t->samples->shown;
	const char *lost = trace_info_get(t->info, KEY_END_SAMPLES_LOST);
	uint64_t n = trace_info_u64(t->info, KEY_END_SAMPLES_LOST, 0);

	if (lost)
		notes_add(to, "%" PRIu64 " sample%s lost", n, n == 1 ? " was" : "s were");
	else
		notes_add(to, "how many samples were lost is not known");
	notes_add(to,
		  "stacks of %" PRIu64 " samples are cut off as too deep, of %" PRIu64
		  " unreadable from some frame on, of %" PRIu64
		  " with an address of no known symbol; %" PRIu64 " in no goroutine",
		  c->cut, c->unreadable, c->unresolved, c->without_goroutine);
}

/* Where the samples of what did not execute are from. */
static void snapshots(const struct loaded_trace *t, struct notes *to)
{
	const struct trace_info *i = t->info;
	const uint64_t n = trace_info_u64(i, KEY_END_SNAPSHOTS, 0),
		       drawn = trace_info_u64(i, KEY_END_SNAPSHOTS_DRAWN, 0),
		       listed = trace_info_u64(i, KEY_END_SNAPSHOTS_LISTED, 0),
		       torn = trace_info_u64(i, KEY_END_SNAPSHOTS_TORN, 0),
		       running_ns = trace_info_u64(i, KEY_END_SNAPSHOTS_RUNNING_NS, 0),
		       idle_ns = trace_info_u64(i, KEY_END_SNAPSHOTS_IDLE_NS, 0),
		       not_go = trace_info_u64(i, KEY_END_SNAPSHOTS_NOT_GO, 0);

	if (!trace_info_get(i, KEY_END_SNAPSHOTS)) {
		notes_add(to, "how many snapshots were taken is not known");
		return;
	}
	notes_add(to,
		  "%" PRIu64 " snapshot%s of %" PRIu64
		  " goroutines each on average looked at %.1f%% of them; %" PRIu64
		  " kept changing: their time is unknown",
		  n, plural(n), n ? listed / n : 0, share_pct(drawn, listed), torn);
	notes_add(to,
		  "in snapshots goroutines were running for %s, with time for which they had no "
		  "processor; samples stand for %s of it",
		  HUMAN(running_ns), HUMAN(t->samples->all.run_ns));
	if (idle_ns)
		notes_add(to, "goroutines of Go's runtime waited %s for work: left out",
			  HUMAN(idle_ns));
	if (not_go)
		notes_add(to,
			  "of %" PRIu64 " process%s only what executed is known: snapshots are of "
			  "goroutines of Go programs",
			  not_go, not_go == 1 ? "" : "es");
}

void sample_notes(const struct loaded_trace *t, struct notes *to)
{
	const char *path = trace_info_get(t->info, KEY_BINARY_PATH);
	const char *go = trace_info_get(t->info, KEY_GO_VERSION);
	const uint64_t n = t->samples->shown.samples, goroutines = t->totals->goroutines,
		       processes = t->totals->images;
	char *left_out = NULL;

	if (path)
		notes_add(to, "%s%s%s", path, go ? ", " : "", go ? go : "");
	notes_add(to, "samples were taken in %" PRIu64 " goroutine%s of %" PRIu64 " process%s",
		  goroutines, plural(goroutines), processes, processes == 1 ? "" : "es");
	if (t->view && (left_out = loaded_trace_left_out(t)))
		notes_add(to, "%s", left_out);
	free(left_out);
	if (t->samples->wall)
		snapshots(t, to);
	else if (n)
		notes_add(
			to,
			"shares are estimates: a true share of 10%% is seen within %.1f points of it in 95 of 100 such recordings",
			196 * sqrt(0.1 * 0.9 / (double)n));
	missing(t, to);
	without(t, to);
}

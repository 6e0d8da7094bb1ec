// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/death_notes.h"
#include "analysis/trace_notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/costly_probes.h"
#include "analysis/warnings.h"
#include "analysis/left_out.h"
#include "analysis/parked.h"
#include "analysis/calls/probe_cost.h"
#include "analysis/calls/released.h"
#include "analysis/trace_names.h"
#include "analysis/samples/sample_notes.h"
#include "base/text_format.h"
#include "model/holds.h"
#include "trace/keys.h"

static const char *value(const struct loaded_trace *trace, const char *key)
{
	const char *v = trace_info_get(trace->info, key);

	return v ? v : "";
}

/* How much there is, and what is left out of it. */
static void extent(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;
	char *left_out = loaded_trace_left_out(trace);

	notes_add(to, "%" PRIu64 " event%s, %" PRIu64 " call%s, %" PRIu64 " goroutine%s in %s",
		  t->events, plural(t->events), t->calls, plural(t->calls), t->goroutines,
		  plural(t->goroutines),
		  HUMAN(t->last_ns > t->first_ns ? t->last_ns - t->first_ns : 0));
	if (left_out)
		notes_add(to, "%s", left_out);
	free(left_out);
	char *parked = parked_say(trace->parked, trace->model, trace->info);
	if (parked)
		notes_add(to, "%s", parked);
	free(parked);
}

static void summary(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;
	const char *path = value(trace, KEY_BINARY_PATH), *go = value(trace, KEY_GO_VERSION);
	const char *probes = value(trace, KEY_PROBE_STRATEGY);

	if (*path)
		notes_add(to, "%s%s%s%s%s", path, *go ? ", " : "", go, *probes ? ", probes: " : "",
			  probes);
	extent(trace, to);
	if (trace->min_duration_ns)
		notes_add(
			to,
			"calls shorter than %s count in all functions and paths, but are no single calls (record "
			"--min-duration). In single calls their time is self time of the calls around them",
			HUMAN(trace->min_duration_ns));
	else if (trace->summary)
		notes_add(
			to,
			"the trace has counts and sums only, and no single calls (record --summary)");
	if (!t->calls)
		notes_add(
			to, "no call was recorded%s",
			trace_reached_end(trace) && !t->loss_records
				? ", because no selected function ran ('gotrace plan --list' names them)"
				: "");
}

/* Why recording ended, when not because the program did; how the program ended, when not well. */
static void ending(const struct loaded_trace *trace, struct notes *to)
{
	static const struct {
		const char *reason, *line;
	} early[] = {
		{ REASON_DURATION,
		  "recording was ended by --duration (-d) before the program ended" },
		{ REASON_SIZE, "recording was ended by --max-size before the program ended" },
		{ REASON_INTERRUPTED,
		  "recording was ended by a signal to gotrace before the program ended" },
		{ REASON_WHEN, "recording was ended by --when before the program ended" },
		{ REASON_WINDOW, "this was written while recording went on (--keep-last)" },
		{ REASON_COST,
		  "recording was ended before the program ended, because probing took more than --max-cost "
		  "allows" },
		{ REASON_NOT_STARTED, "the command could not be executed" },
	};
	uint64_t sig = trace_info_u64(trace->info, KEY_END_SIGNAL, 0),
		 status = trace_info_u64(trace->info, KEY_END_STATUS, 0);

	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		if (!strcmp(value(trace, KEY_END_REASON), early[i].reason))
			notes_add(to, "%s", early[i].line);
	if (sig)
		notes_add(to, "the program was ended by signal %" PRIu64 " (%s)", sig,
			  sig < 65 ? strsignal((int)sig) : "?");
	if (status)
		notes_add(to, "the program ended with status %" PRIu64, status);
	warnings_of_end(trace, to);
}

static void followed(const struct loaded_trace *trace, struct notes *to)
{
	uint64_t children = trace_info_u64(trace->info, KEY_END_CHILDREN, 0);
	uint64_t execs = trace_info_u64(trace->info, KEY_END_EXECS, 0), images = trace->all->images,
		 missed = trace_info_u64(trace->info, KEY_END_MISSED_IMAGES, 0);

	if (children)
		notes_add(to, "%" PRIu64 " child process%s not followed", children,
			  children == 1 ? " was" : "es were");
	if (images > 1)
		notes_add(to, "the process executed itself again: %" PRIu64 " images%s", images,
			  trace_info_get(trace->info, KEY_WARN_IMAGE) ? "" : ", all counted");
	warnings_of_images(trace, to);
	if (execs > images + missed)
		notes_add(to, "%" PRIu64 " other program%s that the process executed %s not traced",
			  execs - images - missed, plural(execs - images - missed),
			  execs - images - missed == 1 ? "was" : "were");
}

/* What the pairing had to do without. */
static void pairing(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->all;
	uint64_t other = loaded_trace_other_calls(trace);

	if (t->orphan_exits)
		notes_add(to,
			  "%" PRIu64
			  " exit%s without an entry (begun before the trace, or lost): left out",
			  t->orphan_exits, plural(t->orphan_exits));
	if (other)
		notes_add(to, "%" PRIu64 " call%s counted under [other]: the tree of paths is full",
			  other, other == 1 ? " is" : "s are");
	warnings_of_events(trace, to);
}

/* How much slower the program was. */
static void overhead(const struct loaded_trace *trace, struct notes *to)
{
	char said[PROBE_OVERHEAD_BYTES];
	uint64_t ns;

	if (probe_overhead_say(trace->info, said))
		notes_add(to, "%s", said);
	else if (probe_cost_ns(trace->info, &ns))
		notes_add(to, "probes cost about %s (estimate: events times their measured cost)",
			  HUMAN(ns));
}

static void cost(const struct loaded_trace *trace, struct notes *to)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&line, &size);
	bool any = f && probe_costs_print(trace->info, f);

	if (!f || text_stream_close(f, &line))
		to->err = -ENOMEM;
	else if (any)
		notes_add(to, "measured cost per event: %s", line);
	free(line);
	const char *warning = probe_overhead_warn(trace->info);

	overhead(trace, to);
	if (warning) {
		notes_add(to, "%s", warning);
		costly_probes_notes(trace, to);
	}
}

#define MUCH_COST_PCT 5 /* of the time: so much sets TOTAL apart from what is as measured */

static void corrected(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->totals;

	if (trace->corrected)
		notes_add(
			to,
			"probe cost subtracted: %s of %s, but not from MEAN, P50, P99 and MAX (--raw keeps it; <: more may be off than is left; ≈: probes took too much of it)",
			HUMAN(t->probe_ns), HUMAN(t->root_ns + t->probe_ns));
	else if (trace->correction_tried && t->calls)
		notes_add(
			to,
			"times are as measured and include the probes' cost, which the trace does not contain");
}

static void lost(const struct loaded_trace *trace, bool any_dropped, struct notes *to)
{
	const struct model_totals *t = trace->all;

	if (t->lost_events || t->loss_records) {
		const char *overflow = trace_info_get(trace->info, KEY_INLINE_OVERFLOW);

		if (overflow && !strcmp(overflow, "drop"))
			notes_add(
				to,
				"to lose no events, use larger rings (record --ring), --overflow=throttle or select fewer functions (-p, -x)");
		else
			notes_add(
				to,
				"to lose no events, use a larger buffer (record -m) or select fewer functions (-p, -x)");
	}
	warnings_of_losses(trace, any_dropped, to);
}

static void warnings(const struct loaded_trace *trace, struct notes *to)
{
	for (size_t i = 0; i < trace->info->n_kvs; i++)
		if (!strncmp(trace->info->kvs[i].key, KEY_WARN, strlen(KEY_WARN)))
			notes_add(to, "%s", trace->info->kvs[i].value);
}

int trace_notes(const struct loaded_trace *trace, struct notes *to)
{
	if (trace->samples) {
		sample_notes(trace, to);
		ending(trace, to);
		deaths_notes(trace->tables, to);
		warnings(trace, to);
		return to->err;
	}
	summary(trace, to);
	ending(trace, to);
	deaths_notes(trace->tables, to);
	followed(trace, to);
	bool any_dropped = warnings_of_drops(trace, to);
	pairing(trace, to);
	warnings(trace, to);
	left_out_notes(trace, to);
	released_notes(trace, to);
	cost(trace, to);
	corrected(trace, to);
	lost(trace, any_dropped, to);
	return to->err;
}

int trace_notes_main(const struct loaded_trace *trace, struct notes *to)
{
	const struct model_totals *t = trace->totals;
	struct notes drops = { 0 };

	extent(trace, to);
	ending(trace, to);
	overhead(trace, to);
	lost(trace, warnings_of_drops(trace, &drops), to);
	if (trace->corrected && share_pct(t->probe_ns, t->root_ns + t->probe_ns) >= MUCH_COST_PCT)
		corrected(trace, to);
	to->err = to->err ? to->err : drops.err;
	notes_free(&drops);
	return to->err;
}

bool trace_idlers_of_runtime(const struct loaded_trace *trace)
{
	size_t n;
	const struct idlers *all = model_idlers(trace->model, &n);
	uint64_t of_runtime = 0;

	for (size_t i = 0; i < n; i++)
		if (!strncmp(trace_name_at(trace->info, all[i].start_pc), "runtime.", 8))
			of_runtime += all[i].n;
	return 2 * of_runtime >= trace->totals->idlers;
}

// SPDX-License-Identifier: BSD-2-Clause
/* What a reader must know before trusting the numbers above. The last line says what was lost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe_cost.h"
#include "analysis/report.h"
#include "trace/keys.h"

static const char *value(const struct report *rep, const char *key)
{
	const char *v = trace_info_get(rep->info, key);

	return v ? v : "";
}

static void summary(const struct report *rep, FILE *out)
{
	const struct model_totals *t = rep->totals;
	static const struct {
		const char *key, *before;
	} parts[] = {
		{ KEY_BINARY_PATH, "" },
		{ KEY_GO_VERSION, ", " },
		{ KEY_PROBE_STRATEGY, ", probes: " },
	};

	if (*value(rep, KEY_BINARY_PATH)) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			if (*value(rep, parts[i].key)) {
				fputs(parts[i].before, out);
				text_safe(out, value(rep, parts[i].key));
			}
		fputc('\n', out);
	}
	fprintf(out, "%" PRIu64 " event%s, %" PRIu64 " call%s, %" PRIu64 " goroutine%s in %s\n",
		t->events, plural(t->events), t->calls, plural(t->calls), t->goroutines,
		plural(t->goroutines), HUMAN(report_span_ns(rep)));
	if (!t->calls)
		fputs("no call was recorded: no selected function ran ('gotrace plan' lists them)\n",
		      out);
}

/* Why recording ended, when not because the program did; how the program ended, when not well. */
static void ending(const struct report *rep, FILE *out)
{
	static const struct {
		const char *reason, *line;
	} early[] = {
		{ REASON_DURATION,
		  "recording was ended by --duration (-d) before the program ended" },
		{ REASON_SIZE, "recording was ended by --max-size before the program ended" },
		{ REASON_INTERRUPTED,
		  "recording was ended by a signal to gotrace before the program ended" },
		{ REASON_WRITE_ERROR,
		  "recording was cut short: the trace could not be written any further" },
		{ REASON_NOT_STARTED, "the command could not be executed" },
	};
	uint64_t sig = trace_info_u64(rep->info, KEY_END_SIGNAL, 0),
		 status = trace_info_u64(rep->info, KEY_END_STATUS, 0);

	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		if (!strcmp(value(rep, KEY_END_REASON), early[i].reason))
			fprintf(out, "%s\n", early[i].line);
	if (sig)
		fprintf(out, "the program was ended by signal %" PRIu64 " (%s)\n", sig,
			sig < 65 ? strsignal((int)sig) : "?");
	if (status)
		fprintf(out, "the program ended with status %" PRIu64 "\n", status);
	if (!rep->complete)
		fputs("this trace is incomplete: it has no end record, so gotrace was killed, the disk\n"
		      "was full or the file was cut; calls open at its last event count as unfinished\n",
		      out);
}

static void dropped(const struct report *rep, FILE *out)
{
	static const struct {
		const char *key, *why;
	} kinds[] = {
		{ KEY_END_DROPPED_SIGNAL_STACK, "on a signal stack" },
		{ KEY_END_DROPPED_OUTSIDE_STACK, "outside the stack of their goroutine" },
		{ KEY_END_DROPPED_FAULT, "where the goroutine could not be read" },
	};
	const char *joint = "hits dropped in the kernel:";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t n = trace_info_u64(rep->info, kinds[i].key, 0);

		if (!n)
			continue;
		fprintf(out, "%s %" PRIu64 " %s", joint, n, kinds[i].why);
		joint = ",";
	}
	if (*joint == ',')
		fputc('\n', out);
}

static void followed(const struct report *rep, FILE *out)
{
	uint64_t children = trace_info_u64(rep->info, KEY_END_CHILDREN, 0);
	uint64_t execs = trace_info_u64(rep->info, KEY_END_EXECS, 0), images = rep->totals->images;

	if (children)
		fprintf(out, "%" PRIu64 " child process%s not followed\n", children,
			children == 1 ? " was" : "es were");
	if (images > 1)
		fprintf(out, "the process executed itself again: %" PRIu64 " images, all counted\n",
			images);
	if (execs > images)
		fprintf(out,
			"%" PRIu64 " other program%s that the process executed %s not traced\n",
			execs - images, plural(execs - images),
			execs - images == 1 ? "was" : "were");
}

/* What the pairing had to do without. */
static void pairing(const struct report *rep, FILE *out)
{
	const struct model_totals *t = rep->totals;
	uint64_t other = report_other_calls(rep);

	if (t->orphan_exits)
		fprintf(out,
			"%" PRIu64
			" exit%s without an entry (begun before the trace, or lost): left out\n",
			t->orphan_exits, plural(t->orphan_exits));
	if (other)
		fprintf(out, "%" PRIu64 " call%s under [other]: the tree of paths is full\n", other,
			other == 1 ? " stands" : "s stand");
	if (t->bad_events)
		fprintf(out, "%" PRIu64 " event%s made no sense: left out\n", t->bad_events,
			plural(t->bad_events));
	if (trace_info_u64(rep->info, KEY_END_LAYOUT_WRONG, 0))
		fputs("the first events contradict the layout of runtime.g that this Go version was\n"
		      "taken to have: do not trust this trace\n",
		      out);
}

static void cost(const struct report *rep, FILE *out)
{
	uint64_t ns, traced_ns = rep->totals->root_ns;
	char *line = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&line, &size);
	bool any = f && probe_costs_print(rep->info, f);

	if (f)
		fclose(f);
	if (any && line)
		fprintf(out, "measured cost per event: %s\n", line);
	free(line);
	if (!probe_cost_ns(rep->info, &ns) || !traced_ns)
		return;
	fprintf(out, "probes cost about %s", HUMAN(ns));
	if (ns < traced_ns) /* part of it lies outside of what is traced */
		fprintf(out, ", %.1f%% of the goroutines' traced time", share_pct(ns, traced_ns));
	else
		fprintf(out, ", most of the goroutines' traced time");
	fputs(" (estimate: events by their measured cost)\n", out);
}

static void lost(const struct report *rep, FILE *out)
{
	const struct model_totals *t = rep->totals;

	if (t->lost_events || t->loss_records)
		fprintf(out,
			"a larger buffer (record -m) or fewer functions (-p, -x) keep events from being lost\n"
			"%" PRIu64 " event%s lost in %" PRIu64 " gap%s",
			t->lost_events, t->lost_events == 1 ? " was" : "s were", t->loss_records,
			plural(t->loss_records));
	else
		fputs("no event was lost", out);
	if (t->suspect_calls)
		fprintf(out, "; %" PRIu64 " call%s suspect, %.2f%% of the time", t->suspect_calls,
			t->suspect_calls == 1 ? " is" : "s are",
			share_pct(t->suspect_ns, t->root_ns));
	fputc('\n', out);
}

void report_footer(const struct report *rep, FILE *out)
{
	fputc('\n', out);
	summary(rep, out);
	ending(rep, out);
	followed(rep, out);
	dropped(rep, out);
	pairing(rep, out);
	for (size_t i = 0; i < rep->info->n_kvs; i++)
		if (!strncmp(rep->info->kvs[i].key, KEY_WARN, strlen(KEY_WARN))) {
			text_safe(out, rep->info->kvs[i].value);
			fputc('\n', out);
		}
	cost(rep, out);
	lost(rep, out);
}

// SPDX-License-Identifier: BSD-2-Clause
/* What a reader must know before trusting the numbers above. */
#include <inttypes.h>
#include <string.h>

#include "export/report.h"

static void lost(const struct report *rep, FILE *out)
{
	const struct model_totals *t = rep->totals;

	if (t->lost_events || t->loss_records)
		fprintf(out, "events lost: %" PRIu64 ", gaps: %" PRIu64 "; a larger buffer (record -m) or fewer "
			"functions (-p, -x) would keep them\n", t->lost_events, t->loss_records);
	else
		fputs("no event was lost\n", out);
	if (t->suspect_calls)
		fprintf(out, "suspect calls: %" PRIu64 " (open across a gap, or their end was not seen), "
			"%.2f%% of the time\n", t->suspect_calls, share_pct(t->suspect_ns, t->root_ns));
	if (t->orphan_exits)
		fprintf(out, "exits of calls whose entry was not seen: %" PRIu64 " (begun before the trace, "
			"or lost)\n", t->orphan_exits);
	if (t->folded_nodes)
		fprintf(out, "calls under [other]: %" PRIu64 ", the tree of paths is full\n", t->folded_nodes);
	if (t->bad_events)
		fprintf(out, "events that make no sense, left out: %" PRIu64 "\n", t->bad_events);
}

static void dropped(const struct report *rep, FILE *out)
{
	static const char prefix[] = "end.dropped_";
	const char *joint = "dropped in the kernel:";

	for (size_t i = 0; i < rep->info->n_kvs; i++) {
		const struct trace_kv *kv = &rep->info->kvs[i];

		if (strncmp(kv->key, prefix, sizeof(prefix) - 1) || !strcmp(kv->value, "0"))
			continue;
		fprintf(out, "%s %s ", joint, kv->value);
		for (const char *c = kv->key + sizeof(prefix) - 1; *c; c++)
			fputc(*c == '_' ? ' ' : *c, out);
		joint = ",";
	}
	if (*joint == ',')
		fputc('\n', out);
}

static void followed(const struct report *rep, FILE *out)
{
	uint64_t children = trace_info_u64(rep->info, "end.children", 0);

	if (children)
		fprintf(out, "child processes not followed: %" PRIu64 "\n", children);
	if (rep->totals->images > 1)
		fprintf(out, "process images, one after another: %" PRIu64 ", all counted\n", rep->totals->images);
}

static void cost(const struct report *rep, FILE *out)
{
	uint64_t emulated = trace_info_u64(rep->info, "cost.emulated_ns", 0);
	uint64_t step = trace_info_u64(rep->info, "cost.step_ns", 0);

	if (emulated || step)
		fprintf(out, "measured cost per event: %" PRIu64 " ns where the kernel emulates the probed instruction, "
			"%" PRIu64 " ns where it steps over it\n", emulated, step);
	for (size_t i = 0; i < rep->info->n_kvs; i++) {
		const struct trace_kv *kv = &rep->info->kvs[i];

		if (!strncmp(kv->key, "cost.", 5) && strcmp(kv->key, "cost.emulated_ns") && strcmp(kv->key, "cost.step_ns"))
			fprintf(out, "measured %s: %s\n", kv->key, kv->value);
	}
}

void report_footer(const struct report *rep, FILE *out)
{
	const struct model_totals *t = rep->totals;

	fprintf(out, "\nevents: %" PRIu64 ", calls: %" PRIu64 ", goroutines: %" PRIu64 ", time: %s\n", t->events, t->calls,
		t->goroutines, HUMAN(t->last_ns - t->first_ns));
	lost(rep, out);
	dropped(rep, out);
	followed(rep, out);
	for (size_t i = 0; i < rep->info->n_kvs; i++)
		if (!strncmp(rep->info->kvs[i].key, "warn.", 5))
			fprintf(out, "%s\n", rep->info->kvs[i].value);
	if (!rep->complete)
		fputs("this trace is incomplete: it ends without its end record, so gotrace was killed, the disk was "
		      "full or the file was cut; calls open at its last event count as unfinished\n", out);
	cost(rep, out);
}

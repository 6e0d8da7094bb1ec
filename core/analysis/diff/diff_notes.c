// SPDX-License-Identifier: BSD-2-Clause
/* What makes two traces differ for other reasons than the program: said, never refused. */
#include "analysis/diff/diff_notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/warnings.h"
#include "base/text_format.h"
#include "trace/keys.h"

static void compare_keys(const struct loaded_trace *a, const struct loaded_trace *b,
			 struct notes *to)
{
	static const struct {
		const char *key, *what;
	} keys[] = {
		{ KEY_BINARY_PATH, "binaries at different paths" },
		{ KEY_GO_VERSION, "different Go versions" },
		{ KEY_PROBE_STRATEGY, "different probe strategies" },
		{ KEY_HOST_KERNEL, "different kernels" },
		{ KEY_HOST_ARCH, "processors of different kinds" },
		{ KEY_HOST_CPU, "different processors" },
		{ KEY_HOST_CPUS, "different numbers of CPUs" },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *in_a = trace_info_get(a->info, keys[i].key);
		const char *in_b = trace_info_get(b->info, keys[i].key);

		if (in_a && in_b && strcmp(in_a, in_b))
			notes_add(to, "%s: A %s, B %s", keys[i].what, in_a, in_b);
	}
}

/* The options that made the selection, as they were given; to be freed. */
static char *selection(const struct trace_info *info)
{
	static const struct {
		const char *prefix, *option;
	} kinds[] = {
		{ KEY_SELECT_PACKAGE ".", "-p " },
		{ KEY_SELECT_FUNCTION ".", "-f " },
		{ KEY_SELECT_EXCLUDE ".", "-x " },
		{ KEY_SELECT_WRAPPERS, "--wrappers" },
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < info->n_kvs; i++) {
			const struct trace_kv *kv = &info->kvs[i];

			if (strncmp(kv->key, kinds[k].prefix, strlen(kinds[k].prefix)))
				continue;
			fprintf(out, "%s%s%s", ftell(out) ? " " : "", kinds[k].option,
				kinds[k].option[1] == '-' ? "" : kv->value);
		}
	if (!ftell(out))
		fputs("the default", out);
	return text_stream_close(out, &text) ? NULL : text;
}

static void compare_selections(const struct loaded_trace *a, const struct loaded_trace *b,
			       struct notes *to)
{
	char *of_a = selection(a->info), *of_b = selection(b->info);

	if (!of_a || !of_b)
		to->err = -ENOMEM;
	else if (strcmp(of_a, of_b))
		notes_add(to, "different selections: A %s, B %s", of_a, of_b);
	free(of_a);
	free(of_b);
}

/* Adds the warnings that every report of the trace prints. */
static void add_warnings(const struct loaded_trace *trace, char name, struct notes *to)
{
	const uint64_t samples = trace_info_u64(trace->info, KEY_END_SAMPLES_LOST, 0);
	struct notes own = { 0 };

	for (size_t i = 0; i < trace->info->n_kvs; i++)
		if (warnings_include(&trace->info->kvs[i]))
			notes_add(&own, "%s", trace->info->kvs[i].value);
	if (trace->samples && samples)
		notes_add(&own, "%" PRIu64 " sample%s lost", samples,
			  samples == 1 ? " was" : "s were");
	if (!trace->samples) {
		warnings_of_images(trace, &own);
		warnings_of_drops(trace, &own);
		warnings_of_events(trace, &own);
	}
	for (size_t i = 0; i < own.n; i++)
		notes_add(to, "%c: %s", name, own.lines[i]);
	to->err = to->err ? to->err : own.err;
	notes_free(&own);
}

/* How the trace falls short of the run that it is of. */
static void look_at(const struct loaded_trace *trace, char name, bool by_path, struct notes *to)
{
	static const struct {
		const char *reason, *by;
	} early[] = {
		{ REASON_DURATION, "--duration" },
		{ REASON_SIZE, "--max-size" },
		{ REASON_INTERRUPTED, "a signal to gotrace" },
		{ REASON_WRITE_ERROR, "a write error" },
		{ REASON_FAILED, "an error of gotrace" },
		{ REASON_COST, "--max-cost" },
	};
	const struct model_totals *t = trace->totals;
	const char *reason = trace_info_get(trace->info, KEY_END_REASON);

	if (trace->growing)
		notes_add(to, "%c is incomplete, because it is still being recorded", name);
	else if (!trace->complete)
		notes_add(to, "%c is incomplete, because it has no end record", name);
	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		if (reason && !strcmp(reason, early[i].reason))
			notes_add(to, "recording of %c was ended by %s before the program ended",
				  name, early[i].by);
	if (t->lost_events)
		notes_add(to, "%c lost %" PRIu64 " event%s, so it has fewer calls than there were",
			  name, t->lost_events, plural(t->lost_events));
	if (t->suspect_calls)
		notes_add(to, "%c has %" PRIu64 " suspect call%s, %.2f%% of its time", name,
			  t->suspect_calls, plural(t->suspect_calls),
			  share_pct(t->suspect_ns, t->root_ns + t->probe_ns));
	if (t->released)
		notes_add(to,
			  "%" PRIu64
			  " function%s of %c %s released (--max-cost); later calls are not counted",
			  t->released, plural(t->released), name,
			  t->released == 1 ? "was" : "were");
	if (by_path && t->folded_nodes)
		notes_add(to,
			  "the tree of paths of %c is full: %" PRIu64
			  " calls are counted under [other]",
			  name, loaded_trace_other_calls(trace));
	add_warnings(trace, name, to);
}

/* Times hold what measuring cost; where that differs much, so do they. */
static void compare_costs(const struct loaded_trace *a, const struct loaded_trace *b,
			  struct notes *to)
{
	static const struct {
		const char *key, *what;
	} costs[] = {
		{ KEY_COST_EMULATED_NS, "an emulated probe" },
		{ KEY_COST_STEP_NS, "a single-stepped probe" },
	};

	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		uint64_t of_a = trace_info_u64(a->info, costs[i].key, 0);
		uint64_t of_b = trace_info_u64(b->info, costs[i].key, 0);

		if (of_a && of_b && (of_a > of_b + of_b / 2 || of_b > of_a + of_a / 2))
			notes_add(to, "%s cost A %s, B %s an event", costs[i].what, HUMAN(of_a),
				  HUMAN(of_b));
	}
}

int diff_notes(const struct loaded_trace *a, const struct loaded_trace *b, bool by_path,
	       struct notes *to)
{
	compare_keys(a, b, to);
	if (!a->samples && !b->samples) /* those have none */
		compare_selections(a, b, to);
	look_at(a, 'A', by_path, to);
	look_at(b, 'B', by_path, to);
	compare_costs(a, b, to);
	return to->err;
}

// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/phases.h"
#include "base/json.h"
#include "base/outfile.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/info_people.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/stored_trace.h"
#include "analysis/samples/death_notes.h"
#include "analysis/calls/probe_cost.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "model/summary.h"
#include "trace/keys.h"
#include "trace/stops.h"
#include "trace/trace.h"

#define NAME_WIDTH       26 /* the longest key has 25 letters */
#define NAME             "%-26s "
#define NAME_BLANKS(key) (strlen(key) < NAME_WIDTH ? NAME_WIDTH + 1 - (int)strlen(key) : 1)

struct info_args {
	const char *file;
	bool json;
};

/* Counts of events, which are not paired here. */
struct counted {
	uint64_t samples;
	const struct sample_tables *tables; /* the reader's */
	uint64_t events, kinds[EV_KIND_MAX + 1], other, lost;
	uint64_t first_ns, last_ns;
	bool summary;    /* there is one, and it knows all this but the kinds */
	uint64_t stored; /* events in the file besides */
};

static const struct argp_option options[] = {
	{ "format", 'F', "FORMAT", 0, "text (default) or json", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const formats[] = { "text", "json", NULL };
	struct info_args *a = state->input;

	if (key != 'F')
		return arg_trace(key, arg, state, &a->file);
	a->json = arg_choice(state, "format", arg, formats);
	return 0;
}

/* What the summary says of all events. 0 or -errno (logged) */
static int take_summary(struct trace_reader *r, struct counted *c)
{
	struct model_totals t;
	const uint8_t *p;
	size_t n;
	int got = trace_reader_summary(r, &p, &n);
	const char *fault = got < 0    ? "it does not unpack"
			    : got == 0 ? "no summary in the file is whole"
				       : summary_totals(&t, p, n);

	if (fault) {
		log_error("the trace's summary cannot be read: %s", fault);
		return got == -ENOMEM ? got : -EBADMSG;
	}
	c->summary = true;
	c->stored = c->events;
	c->events = t.events;
	c->lost = t.lost_events;
	c->first_ns = t.first_ns;
	c->last_ns = t.last_ns;
	return 0;
}

/* What a trace of samples has: of one of these kinds of things. */
static const struct {
	const char *name;
	size_t off;
} sample_counts[] = {
	{ "processes", offsetof(struct sample_tables, n_processes) },
	{ "images", offsetof(struct sample_tables, n_images) },
	{ "stacks", offsetof(struct sample_tables, n_stacks) },
	{ "label_sets", offsetof(struct sample_tables, n_labels) },
	{ "symbols", offsetof(struct sample_tables, n_symbols) },
	{ "locations", offsetof(struct sample_tables, n_locations) },
};

static uint64_t sample_count(const struct sample_tables *t, size_t i)
{
	size_t n = 0;

	if (t)
		memcpy(&n, (const char *)t + sample_counts[i].off, sizeof(n));
	return n;
}

static int count_samples(struct trace_reader *r, struct counted *c)
{
	struct sample_span span;
	int got;

	while ((got = trace_reader_samples(r, &span)) > 0) {
		c->samples += span.n;
		for (size_t i = 0; i < span.n; i++) {
			if (!c->first_ns)
				c->first_ns = span.s[i].ts_ns;
			if (span.s[i].ts_ns > c->last_ns)
				c->last_ns = span.s[i].ts_ns;
		}
	}
	c->tables = trace_reader_tables(r);
	return got;
}

static int count(struct trace_reader *r, struct counted *c)
{
	struct event_ext ev;
	int got;

	if (trace_is_samples(trace_reader_info(r)))
		return count_samples(r, c);
	while ((got = trace_reader_next(r, &ev)) > 0) {
		c->events++;
		if (ev.h.kind <= EV_KIND_MAX)
			c->kinds[ev.h.kind]++;
		else
			c->other++;
		if (ev.h.kind == EV_LOSS) {
			c->lost += ev.arg[1];
			continue;
		}
		if (!c->first_ns)
			c->first_ns = ev.h.ts_ns;
		if (ev.h.ts_ns > c->last_ns)
			c->last_ns = ev.h.ts_ns;
	}
	c->tables = trace_reader_tables(r);
	if (!got && trace_info_get(trace_reader_info(r), KEY_SUMMARY))
		got = take_summary(r, c);
	return got;
}

static void show_cost(const struct trace_info *t, FILE *out)
{
	char said[PROBE_OVERHEAD_BYTES];
	const char *warning = probe_overhead_warn(t);
	uint64_t ns;

	if (probe_overhead_say(t, said))
		fprintf(out, NAME "%s\n", "overhead", said);
	else if (probe_cost_ns(t, &ns))
		fprintf(out, NAME "%.6f s\n", "probe_cost (estimate)", ns / 1e9);
	if (warning)
		fprintf(out, NAME "%s\n", "warning", warning);
}

static void show_deaths(const struct counted *c, FILE *out)
{
	struct notes n = { 0 };

	deaths_notes(c->tables, &n);
	for (size_t i = 0; i < n.n; i++) {
		fprintf(out, NAME, "death");
		text_safe(out, n.lines[i]);
		fputc('\n', out);
	}
	notes_free(&n);
}

/* "binary" of "end.phase.binary_ns"; 0: it is another key, which a stranger may have written. */
static int phase_of(const char *key, const char **name)
{
	static const char begin[] = KEY_END_PHASE;

	if (strncmp(key, begin, sizeof(begin) - 1))
		return 0;
	*name = key + sizeof(begin) - 1;
	const size_t n = strspn(*name, "abcdefghijklmnopqrstuvwxyz");

	return strcmp(*name + n, "_ns") ? 0 : (int)n;
}

/* Is it a part of what comes after the recording? The names are phase_name's. */
static bool is_of_end(const char *name, int n)
{
	for (enum phase k = PHASE_DETACH; k < PHASES; k++)
		if (!strncmp(name, phase_name(k), (size_t)n) && !phase_name(k)[n])
			return true;
	return false;
}

/* "set_up  61.7ms: binary 7.47ms, clock 176us, ...": the parts of the start, or of the end. */
static void show_phases(const struct trace_info *t, const char *title, bool of_end, FILE *out)
{
	const char *name, *before = ": ";
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < t->n_kvs; i++) {
		const int n = phase_of(t->kvs[i].key, &name);

		if (n && is_of_end(name, n) == of_end)
			sum_ns += trace_info_u64(t, t->kvs[i].key, 0);
	}
	if (!sum_ns)
		return;
	fprintf(out, NAME "%s", title, HUMAN(sum_ns));
	for (size_t i = 0; i < t->n_kvs; i++) {
		const int n = phase_of(t->kvs[i].key, &name);

		if (!n || is_of_end(name, n) != of_end)
			continue;
		fprintf(out, "%s%.*s %s", before, n, name,
			HUMAN(trace_info_u64(t, t->kvs[i].key, 0)));
		before = ", ";
	}
	fputc('\n', out);
}

static void show_stops(const struct trace_info *t, FILE *out)
{
	char stops[STOPS_BYTES];

	if (stops_say(t, stops))
		fprintf(out, NAME "%s\n", "stopped", stops);
}

/* Forty texts that are the same in every trace of a Go version: their number is enough here. */
static bool is_reason(const char *key)
{
	static const char list[] = KEY_STATES_REASON ".";

	return strncmp(key, list, sizeof(list) - 1) == 0;
}

/* As long as samples were taken, or from the first event to the last. */
static uint64_t length_ns(const struct trace_info *t, const struct counted *c)
{
	uint64_t from_ns, to_ns;

	if (trace_is_samples(t) && trace_info_stretch(t, &from_ns, &to_ns))
		return to_ns - from_ns;
	return c->last_ns > c->first_ns ? c->last_ns - c->first_ns : 0;
}

static void show_lines(const struct trace_reader *r, const struct counted *c, FILE *out)
{
	const struct trace_info *t = trace_reader_info(r);
	size_t reasons = 0;

	for (size_t i = 0; i < t->n_kvs; i++) {
		if (is_reason(t->kvs[i].key)) {
			reasons++;
			continue;
		}
		text_safe(out, t->kvs[i].key);
		fprintf(out, "%*s", NAME_BLANKS(t->kvs[i].key), "");
		text_safe(out, t->kvs[i].value);
		fputc('\n', out);
	}
	if (reasons)
		fprintf(out, NAME "%zu, their texts with --format=json\n", KEY_STATES_REASON,
			reasons);
	fprintf(out, NAME "%s\n", "complete",
		trace_reader_complete(r) ? "yes"
		: trace_reader_growing(r)
			? "no: still being recorded"
			: "no: gotrace was killed, the disk was full or the file was cut");
	show_deaths(c, out);
	if (trace_is_samples(t)) {
		fprintf(out, NAME "%" PRIu64 "\n", "samples", c->samples);
		for (size_t i = 0; i < sizeof(sample_counts) / sizeof(*sample_counts); i++)
			fprintf(out, NAME "%" PRIu64 "\n", sample_counts[i].name,
				sample_count(c->tables, i));
		fprintf(out, NAME "%.6f s\n", "duration", (double)length_ns(t, c) / 1e9);
		return;
	}
	fprintf(out, NAME "%zu\n", "functions", t->n_funcs);
	fprintf(out, NAME "%zu\n", "sites", t->n_sites);
	fprintf(out, NAME "%" PRIu64 "\n", "events", c->events);
	if (c->summary)
		fprintf(out, NAME "%" PRIu64 "\n", "events_kept", c->stored);
	for (unsigned k = 1; k <= EV_KIND_MAX; k++)
		if (c->kinds[k])
			fprintf(out, "  %-24s %" PRIu64 "\n", event_kind_name(k), c->kinds[k]);
	if (c->other)
		fprintf(out, "  %-24s %" PRIu64 "\n", "of unknown kinds", c->other);
	fprintf(out, NAME "%" PRIu64 "\n", "lost_events", c->lost);
	fprintf(out, NAME "%.6f s\n", "duration", (double)length_ns(t, c) / 1e9);
	show_phases(t, "set_up", false, out);
	show_phases(t, "tear_down", true, out);
	show_stops(t, out);
	show_cost(t, out);
}

static void show_text(const struct trace_reader *r, const struct counted *c)
{
	const struct trace_info *t = trace_reader_info(r);
	const struct info_counts counts = { .samples = c->samples,
					    .events = c->events -
						      (c->summary ? 0 : c->kinds[EV_SAMPLE]),
					    .lost = c->lost,
					    .length_ns = length_ns(t, c),
					    .tables = c->tables };
	const unsigned width = reading_width();
	char *text = NULL;
	size_t size;
	FILE *f = width ? open_memstream(&text, &size) : NULL;

	info_for_people(r, &counts, width, stdout);
	show_lines(r, c, f ? f : stdout);
	if (f && !text_stream_close(f, &text))
		text_wrap_lines(stdout, text, width, NAME_WIDTH + 1);
	free(text);
}

static void show_json(const struct trace_reader *r, const struct counted *c)
{
	const struct trace_info *t = trace_reader_info(r);
	struct probe_overhead o;
	uint64_t cost_ns;
	struct json j;

	json_init(&j, stdout, true);
	json_open(&j, '{');
	json_key(&j, "info");
	json_open(&j, '{');
	for (size_t i = 0; i < t->n_kvs; i++)
		json_kv_str(&j, t->kvs[i].key, t->kvs[i].value);
	json_close(&j, '}');
	json_kv_bool(&j, "complete", trace_reader_complete(r));
	if (!trace_reader_complete(r) && trace_reader_growing(r))
		json_kv_bool(&j, "recording", true);
	if (trace_is_samples(t)) {
		json_kv_u64(&j, "samples", c->samples);
		for (size_t i = 0; i < sizeof(sample_counts) / sizeof(*sample_counts); i++)
			json_kv_u64(&j, sample_counts[i].name, sample_count(c->tables, i));
	}
	deaths_json(c->tables, trace_reader_bytes(r), &j);
	json_kv_u64(&j, "functions", t->n_funcs);
	json_kv_u64(&j, "sites", t->n_sites);
	json_kv_u64(&j, "events", c->events);
	if (c->summary)
		json_kv_u64(&j, "events_kept", c->stored);
	json_key(&j, "kinds");
	json_open(&j, '{');
	for (unsigned k = 1; k <= EV_KIND_MAX; k++)
		if (c->kinds[k])
			json_kv_u64(&j, event_kind_name(k), c->kinds[k]);
	json_close(&j, '}');
	json_kv_u64(&j, "unknown_kinds", c->other);
	json_kv_u64(&j, "lost_events", c->lost);
	json_kv_u64(&j, "duration_ns", length_ns(t, c));
	if (probe_cost_ns(t, &cost_ns))
		json_kv_u64(&j, "probe_cost_ns", cost_ns);
	if (probe_overhead_find(t, &o)) {
		json_kv_u64(&j, "probe_cpu_ns", o.probe_ns);
		json_key(&j, "times_cpu");
		json_double(&j, o.cpu_times);
	}
	json_close(&j, '}');
}

int cmd_info(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"[FILE]",
		"Prints the options, host, binary, losses and probe costs that a trace records about "
		"itself. FILE defaults to gotrace.out.",
		NULL,
		NULL,
		NULL
	};
	struct info_args a = { 0 };
	struct counted c = { 0 };

	argp_err_exit_status = STATUS_USAGE;
	arg_parse(&argp, argc, argv, 0, &a);
	struct trace_reader *r = output_act_as_invoker() ? NULL : open_stored(a.file, NULL);

	if (!r)
		return STATUS_BAD_INPUT;
	int err = count(r, &c);

	if (!err)
		(a.json ? show_json : show_text)(r, &c);
	if (!err)
		err = outfile_check(stdout);
	trace_reader_close(r);
	return err ? STATUS_BAD_INPUT : 0;
}

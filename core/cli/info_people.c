// SPDX-License-Identifier: BSD-2-Clause
#include "cli/info_people.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/warnings.h"
#include "analysis/calls/probe_cost.h"
#include "analysis/samples/sample_processes.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "trace/samples.h"
#include "trace/keys.h"

#define TITLE         "%-10s "
#define TITLE_COLUMNS 11
#define MOST_WARNINGS 4

static const char *value(const struct trace_info *t, const char *key)
{
	const char *v = trace_info_get(t, key);

	return v ? v : "";
}

static void title(FILE *out, const char *name)
{
	fprintf(out, TITLE, name);
}

/* "before value", where there is one. */
static void put(FILE *out, const char *before, const char *v)
{
	if (!*v)
		return;
	fputs(before, out);
	text_safe(out, v);
}

static void program(const struct trace_info *t, const struct sample_tables *tables, FILE *out)
{
	const char *command = value(t, KEY_COMMAND), *path = value(t, KEY_BINARY_PATH);

	if (!*command && !*path) {
		if (!tables || !tables->n_processes)
			return;
		title(out, "Program");
		sample_programs_say(tables, out);
		fputc('\n', out);
		return;
	}
	title(out, "Program");
	text_safe(out, *command ? command : path);
	put(out, ", pid ", value(t, KEY_PID));
	put(out, ", ", value(t, KEY_GO_VERSION));
	put(out, ", module ", value(t, KEY_GO_MODULE));
	fputc('\n', out);
}

static void recorded(const struct trace_reader *r, const struct info_counts *c, FILE *out)
{
	const struct trace_info *t = trace_reader_info(r);
	const time_t at = (time_t)(trace_info_u64(t, KEY_CLOCK_REALTIME_NS, 0) / 1000000000);
	struct tm tm;
	char when[32] = "";

	if (at && gmtime_r(&at, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	title(out, "Recorded");
	fprintf(out, "%s%s%s", when, *when ? ", " : "", HUMAN(c->length_ns));
	if (trace_reader_complete(r))
		put(out, ", ended by: ", value(t, KEY_END_REASON));
	else
		fputs(trace_reader_growing(r) ? ", and goes on" : ", cut (no end)", out);
	fputc('\n', out);
}

static void content(const struct trace_reader *r, const struct info_counts *c, FILE *out)
{
	const struct trace_info *t = trace_reader_info(r);

	title(out, "Content");
	if (trace_is_samples(t)) {
		fprintf(out, "%" PRIu64 " sample%s", c->samples, plural(c->samples));
		put(out, " of ", value(t, KEY_SAMPLE_EVENT));
		put(out, " at ", value(t, KEY_SAMPLE_FREQUENCY));
		fputs(*value(t, KEY_SAMPLE_FREQUENCY) ? " Hz\n" : "\n", out);
		return;
	}
	fprintf(out, "%" PRIu64 " event%s of %" PRIu64 " functions, ", c->events, plural(c->events),
		trace_info_u64(t, KEY_PLAN_PROBED, t->n_funcs));
	if (c->lost)
		fprintf(out, "%" PRIu64 " lost\n", c->lost);
	else
		fputs(trace_reader_complete(r) ? "none lost\n" : "losses are not known\n", out);
}

/* How many events took a trap, of a recording whose stubs wrote the others. Its end counts them. */
static void traps(const struct trace_info *t, FILE *out)
{
	static const char *const keys[] = { KEY_END_EVENTS_EMULATED, KEY_END_EVENTS_STEP,
					    KEY_END_EVENTS_JUMP,     KEY_END_EVENTS_NOP,
					    KEY_END_EVENTS_RET,      KEY_END_EVENTS_VALUES };
	uint64_t n = 0;

	if (!trace_info_get(t, KEY_END_EVENTS_INLINE))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		n += trace_info_u64(t, keys[i], 0);
	fprintf(out, "; %" PRIu64 " took a trap", n);
}

static void probes(const struct trace_info *t, FILE *out)
{
	char said[PROBE_OVERHEAD_BYTES];

	if (*value(t, KEY_PROBE_STRATEGY)) {
		title(out, "Probes");
		text_safe(out, value(t, KEY_PROBE_STRATEGY));
		put(out, ": ", value(t, KEY_PROBE_WHY));
		traps(t, out);
		fputc('\n', out);
	}
	if (probe_overhead_say(t, said)) {
		title(out, "Slowdown");
		fprintf(out, "%s\n", said);
	}
}

static void host(const struct trace_info *t, FILE *out)
{
	title(out, "Machine");
	text_safe(out, *value(t, KEY_HOST_KERNEL) ? value(t, KEY_HOST_KERNEL) : "not known");
	put(out, ", ", value(t, KEY_HOST_ARCH));
	put(out, ", ", value(t, KEY_HOST_CPU));
	put(out, ", processors: ", value(t, KEY_HOST_CPUS));
	put(out, "; gotrace ", value(t, KEY_GOTRACE_VERSION));
	fputc('\n', out);
}

static void warnings(const struct trace_info *t, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_kvs; i++) {
		if (strncmp(t->kvs[i].key, KEY_WARN, strlen(KEY_WARN)) != 0 || ++n > MOST_WARNINGS)
			continue;
		title(out, warnings_include(&t->kvs[i]) ? "!" : "Note");
		text_safe(out, t->kvs[i].value);
		fputc('\n', out);
	}
	if (n > MOST_WARNINGS)
		fprintf(out, TITLE "%zu more warning%s below\n", "Note", n - MOST_WARNINGS,
			plural(n - MOST_WARNINGS));
}

static void lines(const struct trace_reader *r, const struct info_counts *c, FILE *out)
{
	const struct trace_info *t = trace_reader_info(r);

	program(t, c->tables, out);
	recorded(r, c, out);
	content(r, c, out);
	probes(t, out);
	host(t, out);
	warnings(t, out);
	fputc('\n', out);
}

void info_for_people(const struct trace_reader *r, const struct info_counts *c, unsigned width,
		     FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *f = width ? open_memstream(&text, &size) : NULL;

	lines(r, c, f ? f : out);
	if (f && !text_stream_close(f, &text))
		text_wrap_lines(out, text, width, TITLE_COLUMNS);
	free(text);
}

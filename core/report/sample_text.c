// SPDX-License-Identifier: BSD-2-Clause
/* Samples as text: by function, goroutine, label, thread, process, program or library. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_answer.h"
#include "analysis/samples/sample_notes.h"
#include "base/text_name.h"
#include "base/text_wrap.h"
#include "report/sample_formats.h"
#include "report/text.h"
#include "report/text_table.h"

/* The answer stands before the table by function. */
static void answer(const struct report *rep, FILE *out)
{
	char *text = rep->opt->by == BY_FUNCTION ? sample_answer_say(&rep->trace) : NULL;

	if (text && *text) {
		text_wrap_lines(out, text, text_limit(rep), 12);
		fputc('\n', out);
	}
	free(text);
}

void sample_text_head(const struct report *rep, FILE *out)
{
	struct notes head = { 0 };

	answer(rep, out);

	sample_headline(&rep->trace, &head);
	if (rep->opt->by != BY_PROGRAM)
		sample_programs_note(&rep->trace, &head);
	sample_unreadable(&rep->trace, &head);
	for (size_t i = 0; i < head.n; i++) {
		text_wrap(out, head.lines[i], text_limit(rep), 2);
		fputc('\n', out);
	}
	notes_free(&head);
}

const char *text_weight(const struct report *rep, uint64_t weight_ns, char buf[SELF_BYTES])
{
	return sample_counted(rep->trace.info) ? human_count(weight_ns, buf)
					       : human_ns(weight_ns, buf);
}

#define SAMPLE_CELL(name, fmt, ...)                                                         \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct report *rep = ctx;                                             \
		const struct numbers x = sample_numbers(rep, row);                          \
                                                                                            \
		(void)words;                                                                \
		snprintf(buf, CELL_BYTES, fmt, __VA_ARGS__);                                \
	}
SAMPLE_CELL(self, "%s", WEIGHT(rep, x.self_ns))
SAMPLE_CELL(self_error, "%s", HUMAN((uint64_t)sample_error_ns(x.self_square_ns2)))
SAMPLE_CELL(self_share, "%.1f%%", sample_pct(&rep->trace, x.self_ns, x.self_samples))
SAMPLE_CELL(total, "%s", WEIGHT(rep, x.weight_ns))
SAMPLE_CELL(total_error, "%s", HUMAN((uint64_t)sample_error_ns(x.square_ns2)))
SAMPLE_CELL(total_share, "%.1f%%", sample_pct(&rep->trace, x.weight_ns, x.samples))
SAMPLE_CELL(run, "%s", CELL_TIME(x.weight_ns - off_times_sum(&x.off)))
SAMPLE_CELL(off_cpu, "%s", CELL_TIME(x.off.off_cpu_ns))
SAMPLE_CELL(ready, "%s", CELL_TIME(x.off.runnable_ns))
SAMPLE_CELL(waiting, "%s", CELL_TIME(x.off.wait_ns))
SAMPLE_CELL(in_calls, "%s", CELL_TIME(x.off.syscall_ns))
SAMPLE_CELL(unknown, "%s", CELL_TIME(x.off.unknown_ns))
SAMPLE_CELL(self_samples, "%" PRIu64, x.self_samples)
SAMPLE_CELL(samples, "%" PRIu64, x.samples)

static void spent_on(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	const struct numbers x = sample_numbers(ctx, row);

	text_spent_on(ctx, (uint32_t)row, x.weight_ns, &x.off, words, buf);
}

static bool of_functions(const void *ctx)
{
	const struct report *rep = ctx;

	return rep->opt->by == BY_FUNCTION;
}

static bool of_errors(const void *ctx)
{
	const struct report *rep = ctx;

	return rep->trace.samples->errors;
}

static bool of_self_errors(const void *ctx)
{
	return of_functions(ctx) && of_errors(ctx);
}

static bool of_events(const void *ctx)
{
	const struct report *rep = ctx;

	return !of_functions(ctx) && sample_counted(rep->trace.info);
}

static bool of_times(const void *ctx)
{
	return !of_functions(ctx) && !of_events(ctx);
}

static bool of_reasons(const void *ctx)
{
	return of_functions(ctx) && text_has_states(ctx);
}

static bool of_programs(const void *ctx)
{
	const struct report *rep = ctx;

	return of_functions(ctx) && report_program(rep, 0);
}

static void program(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	text_program_cell(ctx, (uint32_t)row, words, buf);
}

/* Rows without a self time have one time, in events where these were counted. */
static const struct table_column columns[] = {
	{ "self_ns", "SELF", 6, { 0, 0 }, .when = of_functions, .cell = self },
	{ "self_error_ns", "±", 6, { 80, 120 }, .when = of_self_errors, .cell = self_error },
	{ "self_pct", "%", 6, { 0, 0 }, .when = of_functions, .cell = self_share },
	{ "total_ns", "TOTAL", 6, { 0, 0 }, .when = of_functions, .cell = total },
	{ "total_ns", "EVENTS", 6, { 0, 0 }, .when = of_events, .cell = total },
	{ "total_ns", "TIME", 6, { 0, 0 }, .when = of_times, .cell = total },
	{ "total_error_ns", "±", 6, { 80, 80 }, .when = of_errors, .cell = total_error },
	{ "total_pct", "%", 6, { 0, 0 }, .cell = total_share },
	{ "run_ns", "RUN", 6, { 0, 120 }, .when = text_has_states, .cell = run },
	{ "off_cpu_ns", "OFF-CPU", 7, { 0, 160 }, .when = text_any_off_cpu, .cell = off_cpu },
	{ "runnable_ns", "READY", 6, { 0, 160 }, .when = text_has_states, .cell = ready },
	{ "wait_ns", "WAIT", 6, { 0, 120 }, .when = text_has_states, .cell = waiting },
	{ "syscall_ns", "SYSCALL", 7, { 0, 160 }, .when = text_has_states, .cell = in_calls },
	{ "unknown_ns", "UNKNOWN", 7, { 0, 160 }, .when = text_any_unknown, .cell = unknown },
	{ "self_samples", "SELF-N", 7, { 90, 140 }, .when = of_functions, .cell = self_samples },
	{ "samples", "SAMPLES", 7, { 70, 100 }, .cell = samples },
	{ "spent_on",
	  "SPENT ON",
	  8,
	  { 0, 60 },
	  .left = true,
	  .when = of_reasons,
	  .cell = spent_on },
	{ "program", "PROGRAM", 7, { 0, 0 }, .left = true, .when = of_programs, .cell = program },
	{ 0 },
};

/* A row that rests on one sighting says so. */
static const char *remark(const struct report *rep, size_t row, char buf[REMARKS_BYTES])
{
	const struct numbers x = sample_numbers(rep, row);

	(void)buf;
	return rep->trace.samples->errors && sample_is_single(x.weight_ns, x.square_ns2)
		       ? "  (single sighting)"
		       : "";
}

static const char *name_of(const struct report *rep, size_t row)
{
	return rep->opt->by == BY_FUNCTION ? report_name(rep, (uint32_t)row)
					   : rep->sample_rows.rows[row].name;
}

int sample_text(const struct report *rep, FILE *out)
{
	static const char *const words[BY_KINDS] = {
		[BY_FUNCTION] = "FUNCTION", [BY_GOROUTINE] = "GOROUTINE", [BY_LABEL] = "LABELS",
		[BY_THREAD] = "THREAD",     [BY_PROCESS] = "PROCESS",     [BY_PROGRAM] = "PROGRAM",
		[BY_LIBRARY] = "LIBRARY"
	};
	static const char *const more[BY_KINDS] = {
		[BY_FUNCTION] = "functions",   [BY_GOROUTINE] = "goroutines",
		[BY_LABEL] = "sets of labels", [BY_THREAD] = "threads",
		[BY_PROCESS] = "processes",    [BY_PROGRAM] = "programs",
		[BY_LIBRARY] = "libraries"
	};
	const struct text_rows rows = { .columns = columns,
					.heading = words[rep->opt->by],
					.name = name_of,
					.remark = remark,
					.what = more[rep->opt->by] };

	text_table(rep, out, &rows);
	return 0;
}

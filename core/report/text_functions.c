// SPDX-License-Identifier: BSD-2-Clause
/* The report by function: its columns, and what stands behind a name. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/correction.h"
#include "analysis/left_out.h"
#include "analysis/stat_columns.h"
#include "base/log.h"
#include "base/text_wrap.h"
#include "report/columns.h"
#include "report/text.h"
#include "report/text_table.h"

#define MUCH_PCT 10.0 /* of the time: such a row stands out */

static const struct call_stats *stats(const void *ctx, size_t row)
{
	const struct report *rep = ctx;

	return &rep->trace.funcs[row];
}

static uint64_t root_ns(const void *ctx)
{
	const struct report *rep = ctx;

	return rep->trace.totals->root_ns;
}

#define CELL(name) \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])

CELL(self)
{
	(void)words;
	text_self(stats(ctx, row), buf);
}

static void share(char buf[CELL_BYTES], uint64_t ns, uint64_t all_ns, bool unsure)
{
	if (unsure)
		snprintf(buf, CELL_BYTES, "?");
	else
		snprintf(buf, CELL_BYTES, "%.1f%%", share_pct(ns, all_ns));
}

CELL(self_share)
{
	const struct call_stats *st = stats(ctx, row);

	(void)words;
	share(buf, st->self_ns, root_ns(ctx), correction_unsure(st));
}

CELL(total_share)
{
	const struct call_stats *st = stats(ctx, row);

	(void)words;
	share(buf, st->total_ns, root_ns(ctx), st->total_ns < st->uncertainty_ns);
}

static void time_or_dash(char buf[CELL_BYTES], uint64_t ns)
{
	snprintf(buf, CELL_BYTES, "%s", CELL_TIME(ns));
}

#define TIME_CELL(name, ns)                                    \
	CELL(name)                                             \
	{                                                      \
		const struct call_stats *st = stats(ctx, row); \
                                                               \
		(void)words;                                   \
		time_or_dash(buf, (ns));                       \
	}
TIME_CELL(run, stat_run_ns(st))
TIME_CELL(off_cpu, st->off_self.off_cpu_ns)
TIME_CELL(ready, st->off_self.runnable_ns)
TIME_CELL(waiting, st->off_self.wait_ns)
TIME_CELL(in_calls, st->off_self.syscall_ns)
TIME_CELL(unknown, st->off_self.unknown_ns)
TIME_CELL(growth, st->morestack_ns)
TIME_CELL(preempt, st->preempt_ns)

CELL(cost)
{
	(void)words;
	snprintf(buf, CELL_BYTES, "%s", HUMAN(stats(ctx, row)->cost_ns));
}

CELL(total)
{
	(void)words;
	text_total(stats(ctx, row), buf);
}

CELL(calls)
{
	(void)words;
	text_calls_of(stats(ctx, row), buf);
}

CELL(all_calls)
{
	const struct report *rep = ctx;

	(void)words;
	snprintf(buf, CELL_BYTES, "%" PRIu64,
		 left_out_all(rep->trace.info, stats(ctx, row)->calls));
}

CELL(all_total)
{
	const struct report *rep = ctx;

	(void)words;
	snprintf(buf, CELL_BYTES, "%s",
		 HUMAN(left_out_all(rep->trace.info, stats(ctx, row)->total_ns)));
}

/* Durations are of finished calls. */
#define DURATION_CELL(name, ns)                                                          \
	CELL(name)                                                                       \
	{                                                                                \
		const struct call_stats *st = stats(ctx, row);                           \
                                                                                         \
		(void)words;                                                             \
		snprintf(buf, CELL_BYTES, "%s", call_stats_timed(st) ? HUMAN(ns) : "-"); \
	}
DURATION_CELL(mean, st->sum_ns / st->finished)
DURATION_CELL(p50, stat_quantile(st, 0.50))
DURATION_CELL(p99, stat_quantile(st, 0.99))
DURATION_CELL(max, st->max_ns)

CELL(spent_on)
{
	const struct call_stats *st = stats(ctx, row);

	buf[0] = '\0';
	if (!correction_unsure(st))
		text_spent_on(ctx, (uint32_t)row, st->self_ns, &st->off_self, words, buf);
}

/* ---- which there are */

static bool of_one_in(const void *ctx)
{
	const struct report *rep = ctx;

	return left_out_scale(rep->trace.info) > 1;
}

static bool of_correction(const void *ctx)
{
	const struct report *rep = ctx;

	return rep->trace.corrected;
}

static bool of_growth(const void *ctx)
{
	const struct report *rep = ctx;

	for (size_t i = 0; i < rep->n_rows; i++)
		if (rep->trace.funcs[rep->rows[i]].morestack_ns)
			return true;
	return false;
}

static bool of_preempt(const void *ctx)
{
	const struct report *rep = ctx;

	for (size_t i = 0; i < rep->n_rows; i++)
		if (rep->trace.funcs[rep->rows[i]].preempt_ns)
			return true;
	return false;
}

/* ---- what stands out */

static bool much(const void *ctx, size_t row)
{
	const struct call_stats *st = stats(ctx, row);

	return !correction_doubtful(st) && share_pct(st->self_ns, root_ns(ctx)) >= MUCH_PCT;
}

static enum text_style bold_if_much(const void *ctx, size_t row)
{
	return much(ctx, row) ? STYLE_BOLD : STYLE_NONE;
}

static enum text_style reason_if_waiting(const void *ctx, size_t row)
{
	const struct call_stats *st = stats(ctx, row);

	return 2 * stat_run_ns(st) < st->self_ns ? STYLE_REASON : STYLE_NONE;
}

static const struct table_column columns[] = {
	{ "self_ns", "SELF", 6, { 0, 0 }, .cell = self, .style = bold_if_much },
	{ "self_pct", "%", 6, { 0, 0 }, .cell = self_share, .style = bold_if_much },
	{ "run_ns", "RUN", 6, { 0, 100 }, .when = text_has_states, .cell = run },
	{ "off_cpu_ns", "OFF-CPU", 7, { 0, 160 }, .when = text_any_off_cpu, .cell = off_cpu },
	{ "runnable_ns", "READY", 6, { 0, 160 }, .when = text_has_states, .cell = ready },
	{ "wait_ns", "WAIT", 6, { 0, 100 }, .when = text_has_states, .cell = waiting },
	{ "syscall_ns", "SYSCALL", 7, { 0, 160 }, .when = text_has_states, .cell = in_calls },
	{ "unknown_ns", "UNKNOWN", 7, { 0, 160 }, .when = text_any_unknown, .cell = unknown },
	{ "total_ns", "TOTAL", 7, { 0, 100 }, .cell = total },
	{ "total_pct", "%", 6, { 100, 140 }, .cell = total_share },
	{ "calls", "CALLS", 5, { 0, 0 }, .cell = calls },
	{ "all_calls", "ALLCALLS", 9, { 100, 120 }, .when = of_one_in, .cell = all_calls },
	{ "all_total_ns", "ALLTOTAL", 8, { 100, 120 }, .when = of_one_in, .cell = all_total },
	{ "mean_ns", "MEAN", 6, { 0, 120 }, .cell = mean },
	{ "p50_ns", "P50", 6, { 100, 120 }, .cell = p50 },
	{ "p99_ns", "P99", 6, { 60, 60 }, .cell = p99 },
	{ "max_ns", "MAX", 6, { 100, 120 }, .cell = max },
	{ "cost_ns", "COST", 6, { 120, 200 }, .when = of_correction, .cell = cost },
	{ "morestack_ns", "GROWTH", 6, { 120, 200 }, .when = of_growth, .cell = growth },
	{ "preempt_ns", "PREEMPT", 7, { 120, 200 }, .when = of_preempt, .cell = preempt },
	{ "spent_on",
	  "SPENT ON",
	  8,
	  { 0, 60 },
	  .left = true,
	  .when = text_has_states,
	  .cell = spent_on,
	  .style = reason_if_waiting },
	{ 0 },
};

const struct table_column *text_function_columns(void)
{
	return columns;
}

/* ---- behind the name */

/* Calls below themselves: in the mean each counts, in the total the outermost does. */
static const char *recursive(const struct call_stats *st)
{
	return st->finished && st->sum_ns > st->total_ns + st->inside_ns + st->left_out_ns
		       ? "  (recursive)"
		       : "";
}

static const char *remarks(const struct report *rep, size_t row, char buf[REMARKS_BYTES])
{
	const struct call_stats *st = stats(rep, row);
	char marks[MARKS_BYTES], released[RELEASED_BYTES];

	snprintf(buf, REMARKS_BYTES, "%s%s%s", text_marks(st, marks), recursive(st),
		 text_released(rep, (uint32_t)row, st,
			       released_below_func(&rep->released, (uint32_t)row), released));
	return buf;
}

static const char *name_of(const struct report *rep, size_t row)
{
	return report_name(rep, (uint32_t)row);
}

/* Prints options that select more. 0 or -ENOMEM (logged) */
static int open_up(const struct report *rep, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *f = rep->opt->open_up ? open_memstream(&text, &size) : NULL;

	if (f)
		rep->opt->open_up(&rep->trace, f);
	if (rep->opt->open_up && (!f || text_stream_close(f, &text))) {
		log_no_memory("no memory for the advice below the table");
		return -ENOMEM;
	}
	for (char *s = text, *end; s && (end = strchr(s, '\n')); s = end + 1) {
		*end = '\0';
		text_wrap(out, s, text_limit(rep), 2);
	}
	free(text);
	return 0;
}

int text_functions(const struct report *rep, FILE *out)
{
	const struct text_rows rows = { .columns = columns,
					.chosen = rep->opt->columns,
					.heading = "FUNCTION",
					.name = name_of,
					.remark = remarks,
					.what = "functions" };
	int err = rep->opt->answer ? text_answer(rep, out) : 0;

	if (err)
		return err;
	text_none_sure(rep, out);
	text_table(rep, out, &rows);
	return open_up(rep, out);
}

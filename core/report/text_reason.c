// SPDX-License-Identifier: BSD-2-Clause
/* Reasons to wait, with the functions that waited. */
#include <inttypes.h>

#include "base/text_format.h"
#include "report/text.h"
#include "report/text_table.h"

#define REMARK_PCT 10.0 /* of a wait, for who ended it to be named */
#define WAKERS     3    /* so many may stand behind a function */

/* "  (woken by main.send 90%, main.close 10%)": who ended most of the time; "" where that is not
 * known. */
static const char *woken_by(const struct report *rep, const struct wait_row *w,
			    char buf[REMARKS_BYTES])
{
	size_t n, len = 0, put = 0;
	const struct func_wakes *by = wake_rows_of(&rep->wakes, w->row, w->reason, &n);
	uint64_t all_ns = 0;

	/* Waits of parked goroutines that were ended are in these only. */
	for (size_t i = 0; i < n; i++)
		all_ns += by[i].ns;
	all_ns = all_ns > w->self_ns ? all_ns : w->self_ns;
	buf[0] = '\0';
	for (size_t i = 0; i < n && put < WAKERS; i++) {
		double pct = share_pct(by[i].ns, all_ns);

		if (pct >= REMARK_PCT)
			len += (size_t)snprintf(buf + len, REMARKS_BYTES - len, "%s%.100s %.0f%%",
						put++ ? ", " : "  (woken by ",
						wake_name(rep->trace.info, by[i].by), pct);
	}
	if (put)
		snprintf(buf + len, REMARKS_BYTES - len, ")");
	return buf;
}

/* Goroutines without a recorded call have no function. Samples know their system calls by name. */
static uint64_t waited_ns(const struct report *rep)
{
	const struct model_totals *t = rep->trace.totals;

	return t->off.wait_ns - t->idle_off.wait_ns + (rep->trace.samples ? t->off.syscall_ns : 0);
}

#define CELL(name, fmt, ...)                                                                \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct report *rep = ctx;                                             \
		const struct wait_row *w = &rep->waits.all[row];                            \
                                                                                            \
		(void)words;                                                                \
		snprintf(buf, CELL_BYTES, fmt, __VA_ARGS__);                                \
	}
CELL(waiting, "%s", CELL_TIME(w->self_ns))
CELL(share, "%.1f%%", share_pct(w->self_ns, waited_ns(rep)))
CELL(total, "%s", HUMAN(w->total_ns))
CELL(waits, "%" PRIu64, w->n)
CELL(mean, "%s", w->n ? HUMAN(w->self_ns / w->n) : "-")

static void reason(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	const struct report *rep = ctx;
	char number[WAIT_REASON_BYTES];

	(void)words;
	table_name(buf, wait_reason(rep->trace.info, rep->waits.all[row].reason, number), 0);
}

static void program(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	const struct report *rep = ctx;

	text_program_cell(rep, rep->waits.all[row].row, words, buf);
}

static bool of_calls(const void *ctx)
{
	return !((const struct report *)ctx)->trace.samples;
}

static bool of_samples(const void *ctx)
{
	return !of_calls(ctx);
}

static bool of_programs(const void *ctx)
{
	return report_program(ctx, 0);
}

static const struct table_column columns[] = {
	{ "wait_ns", "WAIT", 6, { 0, 0 }, .cell = waiting },
	{ "wait_pct", "%", 6, { 0, 0 }, .cell = share },
	{ "total_ns", "TOTAL", 7, { 0, 60 }, .cell = total },
	{ "waits", "WAITS", 6, { 0, 60 }, .when = of_calls, .cell = waits },
	{ "seen", "SEEN", 6, { 0, 60 }, .when = of_samples, .cell = waits },
	{ "mean_ns", "MEAN", 6, { 0, 70 }, .when = of_calls, .cell = mean },
	{ "reason", "REASON", 24, { 0, 0 }, .left = true, .cell = reason },
	{ "program", "PROGRAM", 7, { 0, 80 }, .left = true, .when = of_programs, .cell = program },
	{ 0 },
};

static const char *name_of(const struct report *rep, size_t row)
{
	return report_name(rep, rep->waits.all[row].row);
}

static const char *remark(const struct report *rep, size_t row, char buf[REMARKS_BYTES])
{
	return woken_by(rep, &rep->waits.all[row], buf);
}

int text_reasons(const struct report *rep, FILE *out)
{
	const struct text_rows rows = { .columns = columns,
					.heading = "FUNCTION",
					.name = name_of,
					.remark = remark,
					.what = "reasons" };

	text_table(rep, out, &rows);
	return 0;
}

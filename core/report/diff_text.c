// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_names.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "report/diff_calls.h"
#include "report/diff_table.h"
#include "report/diff_rows.h"
#include "report/report_formats.h"

/* "+6.3%", from ten times on "x12"; "" where nothing changed, "new", "gone", "-" where there was
 * nothing to compare with. */
static const char *relative(const struct diff_row *row, enum diff_metric m, char buf[24])
{
	double a = (double)diff_time_of(row, m, 0), b = (double)diff_time_of(row, m, 1);
	double pct = a ? 100 * (b - a) / a : 0, size = pct < 0 ? -pct : pct;

	if (!row->there[0] || !row->there[1])
		snprintf(buf, 24, "%s", diff_row_kind(row));
	else if (a == b)
		buf[0] = '\0';
	else if (!a)
		snprintf(buf, 24, "-");
	else if (pct >= 999.5)
		snprintf(buf, 24, b / a < 99999 ? "x%.0f" : "x%.0e", b / a);
	else
		snprintf(buf, 24, "%+.*f%%", size < 99.95 ? 1 : 0, pct);
	return buf;
}

#define UNTRACED "  (not traced in %c)"
#define BY_CALL  "  (by call)"

/* ---- columns */

static const struct diff_row *row_of(const void *ctx, size_t row)
{
	const struct diff_report *d = ctx;

	return &d->diff.rows[row];
}

static void time_cell(const void *ctx, size_t row, enum diff_metric m, unsigned s,
		      char buf[CELL_BYTES])
{
	const struct diff_row *x = row_of(ctx, row);

	snprintf(buf, CELL_BYTES, "%s", x->there[s] ? HUMAN(diff_time_of(x, m, s)) : "-");
}

static void relative_cell(const void *ctx, size_t row, enum diff_metric m, char buf[CELL_BYTES])
{
	char pct[24];

	snprintf(buf, CELL_BYTES, "%s", relative(row_of(ctx, row), m, pct));
}

#define CELL(name, call)                                                                    \
	static void name(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES]) \
	{                                                                                   \
		(void)width;                                                                \
		call;                                                                       \
	}
CELL(run_a, time_cell(ctx, row, METRIC_RUN, 0, buf))
CELL(run_b, time_cell(ctx, row, METRIC_RUN, 1, buf))
CELL(self_a, time_cell(ctx, row, METRIC_SELF, 0, buf))
CELL(self_b, time_cell(ctx, row, METRIC_SELF, 1, buf))
CELL(self_change, relative_cell(ctx, row, METRIC_SELF, buf))
CELL(total_a, time_cell(ctx, row, METRIC_TOTAL, 0, buf))
CELL(total_b, time_cell(ctx, row, METRIC_TOTAL, 1, buf))
CELL(total_change, relative_cell(ctx, row, METRIC_TOTAL, buf))
CELL(calls_a, snprintf(buf, CELL_BYTES, "%" PRIu64, row_of(ctx, row)->value[METRIC_CALLS][0]))
CELL(calls_b, snprintf(buf, CELL_BYTES, "%" PRIu64, row_of(ctx, row)->value[METRIC_CALLS][1]))

/* RUN's change is the one that its interval is of. */
static const struct growth *certain(const void *ctx, size_t row)
{
	const struct diff_report *rep = ctx;
	const struct growth *g = diff_growth_of(&rep->judge, row_of(ctx, row), METRIC_RUN);
	const bool *there = row_of(ctx, row)->there;

	return there[0] && there[1] && isfinite(g->pct) ? g : NULL;
}

static void run_change(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct growth *g = certain(ctx, row);

	(void)width;
	if (g)
		snprintf(buf, CELL_BYTES, g->pct < 999.5 ? "%+.1f%%" : "%+.0e%%", g->pct);
	else
		relative_cell(ctx, row, METRIC_RUN, buf);
}

static void run_interval(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct growth *g = certain(ctx, row);

	(void)width;
	buf[0] = '\0';
	if (g && g->low > -1e4 && g->high < 1e4 && g->low < g->high) /* nothing left has none */
		snprintf(buf, CELL_BYTES, "%+.1f..%+.1f", g->low, g->high);
}

static bool of_run(const void *ctx)
{
	const struct diff_report *d = ctx;

	return d->diff.states;
}

/* Beside RUN stands SELF or, where that sorts them, TOTAL. */
static bool of_self(const void *ctx)
{
	const struct diff_report *d = ctx;

	return !of_run(d) || d->opt->sort != DIFF_TOTAL;
}

static bool of_total(const void *ctx)
{
	const struct diff_report *d = ctx;

	return !of_run(d) || d->opt->sort == DIFF_TOTAL;
}

static const char run[] = "RUN", self[] = "SELF", total[] = "TOTAL", calls[] = "CALLS";

static const struct table_column columns[] = {
	{ "run_ns_a", "A", 6, { 0, 0 }, .when = of_run, .cell = run_a, .group = run },
	{ "run_ns_b", "B", 6, { 0, 0 }, .when = of_run, .cell = run_b, .group = run },
	{ "run_change_pct", "%", 6, { 0, 0 }, .when = of_run, .cell = run_change, .group = run },
	{ "run_interval",
	  "95 %",
	  14,
	  { 0, 100 },
	  .left = true,
	  .when = of_run,
	  .cell = run_interval,
	  .group = run },
	{ "self_ns_a", "A", 6, { 0, 0 }, .when = of_self, .cell = self_a, .group = self },
	{ "self_ns_b", "B", 6, { 0, 0 }, .when = of_self, .cell = self_b, .group = self },
	{ "self_change", "%", 6, { 0, 0 }, .when = of_self, .cell = self_change, .group = self },
	{ "total_ns_a", "A", 6, { 0, 0 }, .when = of_total, .cell = total_a, .group = total },
	{ "total_ns_b", "B", 6, { 0, 0 }, .when = of_total, .cell = total_b, .group = total },
	{ "total_change",
	  "%",
	  6,
	  { 0, 0 },
	  .when = of_total,
	  .cell = total_change,
	  .group = total },
	{ "calls_a", "A", 5, { 0, 0 }, .cell = calls_a, .group = calls },
	{ "calls_b", "B", 5, { 0, 0 }, .cell = calls_b, .group = calls },
	{ 0 },
};

/* ---- rows */

static void remarks(const struct diff_report *d, const struct diff_row *row, char buf[48])
{
	const bool by_call = row->by_call && diff_row_per_call(row);
	const int missing = diff_row_untraced(&d->diff, row);
	int n = snprintf(buf, 48, "%s", by_call ? BY_CALL : "");

	if (missing >= 0)
		snprintf(buf + n, 48 - (size_t)n, UNTRACED, "AB"[missing]);
}

static int table(const struct diff_report *d, FILE *out)
{
	struct diff_naming naming = { .d = d };
	struct table t;
	int err = 0;

	diff_table_begin(&t, d, columns, d->n_rows);
	table_groups(&t, out);
	table_heading(&t, out, d->opt->by == BY_PATH ? "PATH" : "FUNCTION");
	for (size_t i = 0; !err && i < d->n_rows; i++) {
		char after[48];

		remarks(d, &d->diff.rows[i], after);
		err = diff_name(&naming, &d->diff.rows[i], out, table_row(&t, out, i), after);
	}
	diff_naming_free(&naming);
	return err;
}

static void headline(const struct diff_report *d, FILE *out)
{
	const uint64_t a = loaded_trace_wall_ns(&d->diff.side[0]),
		       b = loaded_trace_wall_ns(&d->diff.side[1]);

	fprintf(out, "A %s -> B %s", HUMAN(a), HUMAN(b));
	if (a)
		fprintf(out, ", %+.1f%%", 100 * ((double)b - (double)a) / (double)a);
	fputs("\n\n", out);
}

static void below(const struct diff_report *d, FILE *out)
{
	const char *what = diff_report_what(d);

	if (d->n_hidden)
		diff_line(d->opt, out, "%zu more changed %s%s (-n 0 shows all)", d->n_hidden, what,
			  plural(d->n_hidden));
	if (d->n_folded && d->diff.shares)
		diff_line(
			d->opt, out,
			"%zu %s%s folded: shares that chance among so many samples can make, or that differ by less than %g%% (--threshold)",
			d->n_folded, what, plural(d->n_folded), d->opt->threshold_pct);
	else if (d->n_folded && d->diff.states)
		diff_line(
			d->opt, out,
			"%zu %s%s folded: RUN changed by less than %g%% or %s and SELF by less than %g%% or %s (--threshold, --min), or not for sure",
			d->n_folded, what, plural(d->n_folded), d->opt->threshold_pct,
			HUMAN(d->judge.min_run_ns), d->opt->threshold_pct, HUMAN(d->judge.min_ns));
	else if (d->n_folded)
		diff_line(d->opt, out,
			  "%zu %s%s folded: changed by less than %g%% or %s (--threshold, --min)",
			  d->n_folded, what, plural(d->n_folded), d->opt->threshold_pct,
			  HUMAN(d->judge.min_ns));
	if (d->n_unsure)
		diff_line(
			d->opt, out,
			"%zu of them may have changed by more; several recordings a side would show it (A1 A2 A3 "
			"-- B1 B2 B3)",
			d->n_unsure);
	if (d->n_equal)
		diff_line(d->opt, out, "%zu %s%s equal in calls, total and self", d->n_equal, what,
			  plural(d->n_equal));
}

static void sides(const struct diff_report *d, FILE *out)
{
	fputc('\n', out);
	for (unsigned s = 0; s < 2; s++) {
		const struct model_totals *t = d->diff.side[s].totals;

		diff_line(d->opt, out, "%c: %s, %" PRIu64 " %s%s, %" PRIu64 " goroutine%s in %s",
			  "AB"[s], d -> opt -> file[s], t -> calls,
			  d -> diff.side[s].samples ? "sample" : "call", plural(t->calls),
			  t->goroutines, plural(t->goroutines),
			  HUMAN(loaded_trace_length_ns(&d->diff.side[s])));
	}
	for (size_t i = 0; i < d->notes.n; i++)
		diff_line(d->opt, out, "note: %s", d->notes.lines[i]);
}

int diff_text(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out)
{
	struct diff_report d;
	int err = diff_report_load(&d, r, opt);

	if (!err)
		headline(&d, out);
	if (!err && d.n_rows)
		err = d.diff.shares ? diff_shares_text(&d, out) : table(&d, out);
	if (!err) {
		if (!d.n_rows)
			fputs(d.n_folded ? "no change that counts\n" : "no change\n", out);
		below(&d, out);
		diff_calls_text(&d, out);
		sides(&d, out);
		err = outfile_check(out);
	}
	diff_report_free(&d);
	return err;
}

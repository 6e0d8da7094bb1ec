// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_calls.h"
#include "report/diff_table.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/stat_columns.h"
#include "base/text_format.h"
#include "report/text.h"

#define DEVIATIONS 1.96 /* 19 of 20 lie within */

static const char *const names[CALL_NUMBERS] = { [CALL_MEAN] = "mean_ns", [CALL_P99] = "p99_ns" };

/* Of finished calls; 0: of none. */
static uint64_t finished(const struct diff_row *row, unsigned s)
{
	return row->series[s] ? row->series[s]->finished
	       : row->func[s] ? row->func[s]->finished
			      : 0;
}

static double quantile(const struct diff_row *row, unsigned s, double q)
{
	return row->series[s] ? (double)hist_quantile(&row->series[s]->total, q)
			      : (double)stat_quantile(row->func[s], q);
}

static double mean(const struct diff_row *row, unsigned s)
{
	const uint64_t sum_ns = row->series[s] ? row->series[s]->sum_total_ns
					       : row->func[s]->sum_ns;

	return (double)sum_ns / (double)finished(row, s);
}

/* The ranks between which a quantile of all calls lies tell what it may be off; what goroutines
 * wait may be stretched besides. */
static bool p99_moved(const struct diff_report *rep, const struct diff_row *row)
{
	const struct diff_stretch *stretch = rep->diff.stretch;
	double low[2], high[2];

	for (unsigned s = 0; s < 2; s++) {
		const double off = DEVIATIONS * sqrt(0.99 * 0.01 / (double)finished(row, s));

		if (0.99 + off >= 1) /* it may be above all calls */
			return false;
		low[s] = quantile(row, s, 0.99 - off);
		high[s] = quantile(row, s, 0.99 + off);
	}
	const double by = fmax(stretch[0].all, stretch[1].all);

	return low[1] > high[0] * by || high[1] * by < low[0];
}

static bool enough(const struct diff_report *rep, const double ns[2])
{
	return ns[0] > 0 && fabs(ns[1] - ns[0]) * 100 >= rep->opt->threshold_pct * ns[0];
}

struct call_times diff_call_times(const struct diff_report *rep, const struct diff_row *row)
{
	struct call_times t = { 0 };

	if (rep->diff.by_path || rep->diff.shares || finished(row, 0) < CALL_SERIES_LEAST ||
	    finished(row, 1) < CALL_SERIES_LEAST)
		return t;
	t.there = true;
	for (unsigned s = 0; s < 2; s++) {
		t.ns[CALL_MEAN][s] = mean(row, s);
		t.ns[CALL_P99][s] = quantile(row, s, 0.99);
	}
	if (!rep->diff.states)
		return t;
	t.changed[CALL_MEAN] = enough(rep, t.ns[CALL_MEAN]) &&
			       growth_sure(diff_growth_of(&rep->judge, row, METRIC_TOTAL));
	t.changed[CALL_P99] = enough(rep, t.ns[CALL_P99]) && p99_moved(rep, row);
	return t;
}

static double pct(const double ns[2])
{
	return ns[0] > 0 ? 100 * (ns[1] - ns[0]) / ns[0] : NAN;
}

void diff_calls_csv_heading(FILE *out)
{
	for (int i = 0; i < CALL_NUMBERS; i++)
		fprintf(out, ",%s_a,%s_b,%s_change_pct", names[i], names[i], names[i]);
}

void diff_calls_csv(const struct diff_report *rep, const struct diff_row *row, FILE *out)
{
	const struct call_times t = diff_call_times(rep, row);

	for (int i = 0; i < CALL_NUMBERS; i++) {
		if (t.there)
			fprintf(out, ",%.0f,%.0f,", t.ns[i][0], t.ns[i][1]);
		else
			fputs(",,,", out);
		if (t.there && t.ns[i][0] > 0)
			fprintf(out, "%.2f", pct(t.ns[i]));
	}
}

static void json_number(struct json *j, const char *name, const char *end, bool there, double v)
{
	char key[32];

	snprintf(key, sizeof(key), "%s%s", name, end);
	json_key(j, key);
	if (there && isfinite(v))
		json_double(j, v);
	else
		json_null(j);
}

void diff_calls_json(const struct diff_report *rep, const struct diff_row *row, struct json *j)
{
	const struct call_times t = diff_call_times(rep, row);

	for (int i = 0; i < CALL_NUMBERS; i++) {
		json_number(j, names[i], "_a", t.there, round(t.ns[i][0]));
		json_number(j, names[i], "_b", t.there, round(t.ns[i][1]));
		json_number(j, names[i], "_change_pct", t.there, pct(t.ns[i]));
	}
}

static void time_cell(const void *ctx, size_t row, enum call_number k, unsigned s,
		      char buf[CELL_BYTES])
{
	const struct diff_report *d = ctx;
	const struct call_times t = diff_call_times(d, &d->call_rows[row]);

	snprintf(buf, CELL_BYTES, "%s", HUMAN((uint64_t)t.ns[k][s]));
}

/* Where it did not change there is no percentage. */
static void change_cell(const void *ctx, size_t row, enum call_number k, char buf[CELL_BYTES])
{
	const struct diff_report *d = ctx;
	const struct call_times t = diff_call_times(d, &d->call_rows[row]);

	buf[0] = '\0';
	if (t.changed[k])
		snprintf(buf, CELL_BYTES, "%+.0f%%", pct(t.ns[k]));
}

#define CELL(name, call)                                                                    \
	static void name(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES]) \
	{                                                                                   \
		(void)width;                                                                \
		call;                                                                       \
	}
CELL(mean_a, time_cell(ctx, row, CALL_MEAN, 0, buf))
CELL(mean_b, time_cell(ctx, row, CALL_MEAN, 1, buf))
CELL(mean_change, change_cell(ctx, row, CALL_MEAN, buf))
CELL(p99_a, time_cell(ctx, row, CALL_P99, 0, buf))
CELL(p99_b, time_cell(ctx, row, CALL_P99, 1, buf))
CELL(p99_change, change_cell(ctx, row, CALL_P99, buf))

static const char of_mean[] = "MEAN", of_p99[] = "P99";

static const struct table_column columns[] = {
	{ "mean_ns_a", "A", 6, { 0, 0 }, .cell = mean_a, .group = of_mean },
	{ "mean_ns_b", "B", 6, { 0, 0 }, .cell = mean_b, .group = of_mean },
	{ "mean_change_pct", "%", 6, { 0, 0 }, .cell = mean_change, .group = of_mean },
	{ "p99_ns_a", "A", 6, { 0, 0 }, .cell = p99_a, .group = of_p99 },
	{ "p99_ns_b", "B", 6, { 0, 0 }, .cell = p99_b, .group = of_p99 },
	{ "p99_change_pct", "%", 6, { 0, 0 }, .cell = p99_change, .group = of_p99 },
	{ 0 },
};

void diff_calls_text(const struct diff_report *rep, FILE *out)
{
	const size_t most = rep->opt->limit && rep->opt->limit < rep->n_call_rows
				    ? rep->opt->limit
				    : rep->n_call_rows;
	struct table t;

	if (!most)
		return;
	diff_table_begin(&t, rep, columns, most);
	fputs("\na call, of functions with 20 and more:\n", out);
	table_groups(&t, out);
	table_heading(&t, out, "FUNCTION");
	for (size_t i = 0; i < most; i++)
		text_name_after(out, rep->opt->width, false,
				diff_report_name(rep, &rep->call_rows[i]), table_row(&t, out, i),
				"");
	if (most < rep->n_call_rows)
		fprintf(out, "%zu more (-n 0 shows all)\n", rep->n_call_rows - most);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_calls.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/stat_columns.h"
#include "base/text_format.h"
#include "base/text_name.h"
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
			       growth_sure(diff_report_growth(rep, row, METRIC_TOTAL));
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

/* Where it did not change there is no percentage. */
static int number(const struct call_times *t, enum call_number k, FILE *out)
{
	char by[16] = "";

	if (t->changed[k])
		snprintf(by, sizeof(by), "%+.0f%%", pct(t->ns[k]));
	return fprintf(out, "%6s %6s %6s  ", HUMAN((uint64_t)t->ns[k][0]),
		       HUMAN((uint64_t)t->ns[k][1]), by);
}

void diff_calls_text(const struct diff_report *rep, FILE *out)
{
	const size_t most = rep->opt->limit && rep->opt->limit < rep->n_call_rows
				    ? rep->opt->limit
				    : rep->n_call_rows;

	if (!most)
		return;
	fputs("\na call, of functions with 20 and more:\n", out);
	text_heading(rep->opt->colour, out, "%-20s  %s", "MEAN", "P99");
	text_heading(rep->opt->colour, out, "%6s %6s %6s  %6s %6s %6s  %s", "A", "B", "%", "A", "B",
		     "%", "FUNCTION");
	for (size_t i = 0; i < most; i++) {
		const struct diff_row *row = &rep->call_rows[i];
		const struct call_times t = diff_call_times(rep, row);
		const int used = number(&t, CALL_MEAN, out) + number(&t, CALL_P99, out);

		text_name(out, diff_report_name(rep, row),
			  text_room(rep->opt->width, (size_t)used));
		fputc('\n', out);
	}
	if (most < rep->n_call_rows)
		fprintf(out, "%zu more (-n 0 shows all)\n", rep->n_call_rows - most);
}

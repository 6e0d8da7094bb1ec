// SPDX-License-Identifier: BSD-2-Clause
/* What changed between two traces, function by function, as `gotrace diff` has it. */
#include <math.h>

#include "analysis/diff/diff_shares.h"
#include "base/units.h"
#include "export/html/html.h"

/* Enough digits for what is shown. */
static void number(struct json *j, double v)
{
	json_double(j, isfinite(v) ? round(v * 100) / 100 : NAN);
}

struct side_column {
	const char *key;
	enum diff_metric metric;
	unsigned side;
};

static const struct side_column times[] = {
	{ "run_a", METRIC_RUN, 0 },     { "run_b", METRIC_RUN, 1 },
	{ "self_a", METRIC_SELF, 0 },   { "self_b", METRIC_SELF, 1 },
	{ "total_a", METRIC_TOTAL, 0 }, { "total_b", METRIC_TOTAL, 1 },
};
#define N_TIMES (sizeof(times) / sizeof(times[0]))

/* Times of a call, where the numbers of calls differ and times are compared so. */
static int write_times(const struct html_page *p, const struct diff *d, struct json *j)
{
	int err = 0;

	for (size_t k = 0; !err && k < N_TIMES; k++) {
		struct html_text text = { 0 };

		if (times[k].metric == METRIC_RUN && !d->states && !d->sampled)
			continue;
		for (size_t i = 0; i < p->n_funcs; i++) {
			const struct diff_row *row = &d->rows[p->funcs[i]];
			const unsigned s = times[k].side;

			html_put(&text,
				 d->sampled && times[k].metric == METRIC_RUN && d->seconds[s] > 0
					 ? whole_number((double)row->value[METRIC_RUN][s] /
							d->seconds[s])
					 : diff_time_of(row, times[k].metric, s));
		}
		err = html_column(j, times[k].key, &text);
	}
	return err;
}

static int write_verdicts(const struct html_page *p, const struct diff_judge *judge, struct json *j)
{
	struct html_text verdicts = { 0 }, by_call = { 0 }, times_changed = { 0 };

	for (size_t i = 0; i < p->n_funcs; i++) {
		const struct diff_row *row = &judge->d->rows[p->funcs[i]];

		html_put(&verdicts, diff_verdict(judge, row));
		html_put(&by_call, row->by_call && diff_row_per_call(row));
		html_put(&times_changed,
			 (uint64_t)diff_time_changed(judge, row, METRIC_RUN) |
				 (uint64_t)diff_time_changed(judge, row, METRIC_SELF) << 1);
	}
	const int err = html_column(j, "verdict", &verdicts),
		  err_call = html_column(j, "by_call", &by_call),
		  err_times = html_column(j, "times", &times_changed); /* 1: RUN, 2: SELF */

	return err ? err : err_call ? err_call : err_times;
}

static double percent(uint64_t a, uint64_t b)
{
	return a ? 100 * ((double)b - (double)a) / (double)a : NAN;
}

/* By how much it changed, per cent of A: RUN where that is compared, else SELF. */
static double grown_pct(const struct diff_judge *judge, const struct diff_row *row)
{
	return judge->growth ? diff_growth_of(judge, row, METRIC_RUN)->pct
			     : percent(row->value[METRIC_SELF][0], row->value[METRIC_SELF][1]);
}

static double low_of(const struct diff_judge *judge, const struct diff_row *row)
{
	return judge->growth ? diff_growth_of(judge, row, METRIC_RUN)->low : NAN;
}

static double high_of(const struct diff_judge *judge, const struct diff_row *row)
{
	return judge->growth ? diff_growth_of(judge, row, METRIC_RUN)->high : NAN;
}

/* In B, for as many calls as B has: ns. */
static double time_of_metric(const struct diff_judge *judge, const struct diff_row *row,
			     enum diff_metric m)
{
	double a = (double)row->value[m][0];
	const double b = (double)row->value[m][1];

	if (m == METRIC_RUN && judge->growth) {
		const bool more = diff_growth_of(judge, row, m)->pct > 0 || !row->there[0];

		return (more ? 1 : -1) * diff_grown_ns(judge, row, m);
	}
	if (row->by_call && diff_row_per_call(row))
		a *= (double)row->value[METRIC_CALLS][1] / (double)row->value[METRIC_CALLS][0];
	return b - a;
}

static double grown_run(const struct diff_judge *judge, const struct diff_row *row)
{
	return time_of_metric(judge, row, judge->growth ? METRIC_RUN : METRIC_SELF);
}

static double grown_self(const struct diff_judge *judge, const struct diff_row *row)
{
	return time_of_metric(judge, row, METRIC_SELF);
}

static double grown_total(const struct diff_judge *judge, const struct diff_row *row)
{
	return time_of_metric(judge, row, METRIC_TOTAL);
}

static double points_of(const struct diff_judge *judge, const struct diff_row *row)
{
	return judge->d->shares ? diff_points(judge->d, row, METRIC_SELF) : NAN;
}

static double share_a(const struct diff_judge *judge, const struct diff_row *row)
{
	return judge->d->shares ? diff_share_pct(judge->d, row, METRIC_SELF, 0) : NAN;
}

static double share_b(const struct diff_judge *judge, const struct diff_row *row)
{
	return judge->d->shares ? diff_share_pct(judge->d, row, METRIC_SELF, 1) : NAN;
}

static void write_growth(const struct html_page *p, const struct diff_judge *judge, struct json *j)
{
	static const struct {
		const char *key;
		double (*get)(const struct diff_judge *, const struct diff_row *);
		bool of_shares;
	} columns[] = {
		{ "pct", grown_pct, false },         { "low", low_of, false },
		{ "high", high_of, false },          { "grown", grown_run, false },
		{ "grown_self", grown_self, false }, { "grown_total", grown_total, false },
		{ "points", points_of, true },       { "share_a", share_a, true },
		{ "share_b", share_b, true },
	};

	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
		if (columns[k].of_shares && !judge->d->shares)
			continue;
		json_key(j, columns[k].key);
		json_open(j, '[');
		for (size_t i = 0; i < p->n_funcs; i++)
			number(j, columns[k].get(judge, &judge->d->rows[p->funcs[i]]));
		json_close(j, ']');
	}
}

int html_write_compared(const struct html_page *p, const struct diff_judge *judge, struct json *j)
{
	const struct diff *d = judge->d;

	json_key(j, "changes");
	json_open(j, '{');
	json_kv_str(j, "by", d->shares ? "share" : d->states ? "run" : "self");
	json_kv_bool(j, "sampled", d->sampled);
	json_key(j, "threshold_pct");
	json_double(j, judge->bar.threshold_pct);
	json_kv_u64(j, "min_ns", judge->min_ns);
	json_kv_u64(j, "min_run_ns", judge->min_run_ns);
	json_kv_u64(j, "wall_a", loaded_trace_wall_ns(&d->side[0]));
	json_kv_u64(j, "wall_b", loaded_trace_wall_ns(&d->side[1]));
	int err = write_verdicts(p, judge, j);

	if (!err)
		err = write_times(p, d, j);
	write_growth(p, judge, j);
	json_close(j, '}');
	return err;
}

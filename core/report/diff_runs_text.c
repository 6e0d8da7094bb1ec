// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_runs_text.h"
#include "report/diff_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/units.h"
#include "report/runs_rows.h"
#include "report/text.h"
#include "stats/interval.h"

static const char *what(const struct comparing *x)
{
	static const char *const names[] = {
		[METRIC_SELF] = "self",
		[METRIC_TOTAL] = "total",
		[METRIC_CALLS] = "calls",
		[METRIC_RUN] = "run",
	};

	return names[x->metric];
}

/* ---- text */

static const char *value(const struct comparing *x, double v, char buf[16])
{
	if (x->d->samples && x->metric != METRIC_CALLS && x->metric != METRIC_RUN)
		snprintf(buf, 16, "%.2f%%", v);
	else if (x->metric == METRIC_CALLS)
		human_count(whole_number(v), buf);
	else
		human_ns(whole_number(v), buf);
	return buf;
}

static const char *percent(double pct, char buf[16])
{
	if (isnan(pct) || isinf(pct))
		snprintf(buf, 16, "new");
	else
		snprintf(buf, 16, "%+.1f%%", pct);
	return buf;
}

static const char *interval(const struct runs_change *c, char buf[48])
{
	char low[16], high[16];

	snprintf(buf, 48, "%s to %s", percent(c->low, low), percent(c->high, high));
	return buf;
}

static void headline(const struct comparing *x, FILE *out)
{
	const struct runs_change *w = &x->wall;
	char pct[16], in[48];

	fprintf(out, "A %s -> B %s, %s (%s)%s\n\n", HUMAN((uint64_t)w->median[0]),
		HUMAN((uint64_t)w->median[1]), percent(w->pct, pct), interval(w, in),
		w->apart ? "" : ": within the runs' own noise");
}

static void below_spread(const struct comparing *x, FILE *out)
{
	const struct diff_runs *d = x->d;
	const bool points = d->by_second;

	diff_line(
		x->opt, out,
		"%zu function%s folded: changed by less than %g%%%s%s (--threshold%s), or not for sure",
		x->n_folded, plural(x->n_folded), x->opt->threshold_pct, points ? "" : " or ",
		points ? "" : HUMAN(whole_number(x->least)), points ? "" : ", --min");
	if (x->n_self)
		diff_line(x->opt, out, "%zu of them changed in SELF (-s self shows them)",
			  x->n_self);
	diff_line(
		x->opt, out,
		"medians of %zu and %zu runs, intervals from their spread: in 19 of 20 comparisons all of them hold",
		d->n_runs[0], d->n_runs[1]);
	if (d->samples)
		diff_line(
			x->opt, out, "%s",
			d->by_second
				? "RUN is processor time of a second, as recordings ended before their programs"
				: "RUN is processor time");
	else
		diff_line(x->opt, out, "times exclude time without a processor (OFF-CPU)");
}

static void below(const struct comparing *x, FILE *out)
{
	const struct diff_runs *d = x->d;

	if (runs_have_spread(x, x->metric)) {
		below_spread(x, out);
		return;
	}
	diff_line(
		x->opt, out,
		"%zu function%s folded: runs of one side are within those of the other, or the medians differ by less than %g%%%s%s (--threshold%s)",
		x->n_folded, plural(x->n_folded), x->opt->threshold_pct, d->samples ? "" : " or ",
		d->samples ? "" : HUMAN(whole_number(x->least)), d->samples ? "" : ", --min");
	diff_line(
		x->opt, out,
		"medians of %zu and %zu runs; of functions that did not change, %.2g%% are shown by chance",
		d->n_runs[0], d->n_runs[1], 100 * runs_chance(d->n_runs[0], d->n_runs[1]));
	if (d->n_stateless)
		diff_line(
			x->opt, out,
			"%zu of %zu runs have no states, so SELF is compared, with waiting and time without a processor",
			d->n_stateless, d->n_runs[0] + d->n_runs[1]);
}

#define CELL(name, text)                                                                    \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct comparing *x = ctx;                                            \
		const struct runs_change *c = &x->all[row].c;                               \
                                                                                            \
		(void)words;                                                                \
		snprintf(buf, CELL_BYTES, "%s", (text));                                    \
	}
CELL(value_a, value(x, c->median[0], (char[16]){ 0 }))
CELL(value_b, value(x, c->median[1], (char[16]){ 0 }))
CELL(change, percent(c->pct, (char[16]){ 0 }))
CELL(low_to_high, interval(c, (char[48]){ 0 }))

static bool of_intervals(const void *ctx)
{
	const struct comparing *x = ctx;

	return runs_have_spread(x, x->metric) ||
	       (x->d->n_runs[0] >= INTERVAL_LEAST && x->d->n_runs[1] >= INTERVAL_LEAST);
}

static bool of_ranges(const void *ctx)
{
	return !of_intervals(ctx);
}

static bool of_programs(const void *ctx)
{
	const struct comparing *x = ctx;

	return x->d->programs;
}

static void program(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	const struct comparing *x = ctx;

	table_name(buf, x->all[row].row->program, words);
}

static const struct table_column columns[] = {
	{ "a", "A", 7, { 0, 0 }, .cell = value_a },
	{ "b", "B", 7, { 0, 0 }, .cell = value_b },
	{ "change_pct", "CHANGE", 7, { 0, 0 }, .cell = change },
	{ "interval",
	  "95 %",
	  19,
	  { 60, 60 },
	  .left = true,
	  .when = of_intervals,
	  .cell = low_to_high },
	{ "range", "RANGE", 19, { 60, 60 }, .left = true, .when = of_ranges, .cell = low_to_high },
	{ "program", "PROGRAM", 7, { 0, 0 }, .left = true, .when = of_programs, .cell = program },
	{ 0 },
};

static void table(const struct comparing *x, FILE *out)
{
	const struct table_options opt = { .width = x->opt->width, .colour = x->opt->colour };
	struct table t;
	char last[32];

	snprintf(last, sizeof(last), "FUNCTION, by %s", what(x));
	table_begin(&t, &opt, columns, x, NULL, x->n);
	table_heading(&t, out, last);
	for (size_t i = 0; i < x->n; i++)
		text_name_after(out, opt.width, false, x->all[i].row->name, table_row(&t, out, i),
				"");
	if (x->n_hidden)
		fprintf(out, "%zu more changed functions (-n 0 shows all)\n", x->n_hidden);
}

int diff_runs_text(const struct diff_runs *d, const struct diff_options *opt, FILE *out)
{
	struct comparing x;
	int err = runs_compare_all(&x, d, opt);

	if (err)
		return err;
	headline(&x, out);
	if (x.n)
		table(&x, out);
	else
		fputs("no change that is more than the runs' own noise\n", out);
	below(&x, out);
	free(x.all);
	return outfile_check(out);
}

/* ---- csv, json */

static void csv_double(FILE *out, double v)
{
	fputc(',', out);
	if (isfinite(v))
		fprintf(out, "%.6g", v);
}

int diff_runs_csv(const struct diff_runs *d, const struct diff_options *opt, FILE *out)
{
	struct comparing x;
	int err = runs_compare_all(&x, d, opt);

	if (err)
		return err;
	fprintf(out, "function,%s_a,%s_b,change_pct,low_pct,high_pct%s\n", what(&x), what(&x),
		d->programs ? ",program" : "");
	for (size_t i = 0; i < x.n; i++) {
		const struct runs_change *c = &x.all[i].c;

		csv_field(out, x.all[i].row->name);
		csv_double(out, c->median[0]);
		csv_double(out, c->median[1]);
		csv_double(out, c->pct);
		csv_double(out, c->low);
		csv_double(out, c->high);
		if (d->programs) {
			fputc(',', out);
			csv_field(out, x.all[i].row->program);
		}
		fputc('\n', out);
	}
	free(x.all);
	return outfile_check(out);
}

static void json_change(struct json *j, const struct runs_change *c)
{
	const struct {
		const char *key;
		double v;
	} all[] = { { "a", c->median[0] },
		    { "b", c->median[1] },
		    { "change_pct", c->pct },
		    { "low_pct", c->low },
		    { "high_pct", c->high } };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		json_key(j, all[i].key);
		json_double(j, all[i].v);
	}
	json_kv_bool(j, "apart", c->apart);
}

int diff_runs_json(const struct diff_runs *d, const struct diff_options *opt, FILE *out)
{
	struct comparing x;
	struct json j;
	int err = runs_compare_all(&x, d, opt);

	if (err)
		return err;
	json_init(&j, out, true);
	json_open(&j, '{');
	json_kv_str(&j, "by", "function");
	json_kv_str(&j, "metric", what(&x));
	json_kv_u64(&j, "runs_a", d->n_runs[0]);
	json_kv_u64(&j, "runs_b", d->n_runs[1]);
	json_key(&j, "chance");
	json_double(&j, runs_chance(d->n_runs[0], d->n_runs[1]));
	json_key(&j, "wall_ns");
	json_open(&j, '{');
	json_change(&j, &x.wall);
	json_close(&j, '}');
	json_key(&j, "rows");
	json_open(&j, '[');
	for (size_t i = 0; i < x.n; i++) {
		json_open(&j, '{');
		json_kv_str(&j, "function", x.all[i].row->name);
		if (d->programs)
			json_kv_str(&j, "program", x.all[i].row->program);
		json_change(&j, &x.all[i].c);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_kv_u64(&j, "hidden_rows", x.n_hidden);
	json_kv_u64(&j, "folded_rows", x.n_folded);
	json_close(&j, '}');
	free(x.all);
	return outfile_check(out);
}

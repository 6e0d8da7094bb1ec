// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons of which one side has samples: shares and the points between them. */
#include "analysis/diff/diff_shares.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/text_format.h"
#include "base/units.h"
#include "report/diff_rows.h"
#include "report/diff_table.h"
#include "report/path_fields.h"

static const struct diff_row *row_of(const void *ctx, size_t row)
{
	const struct diff_report *rep = ctx;

	return &rep->diff.rows[row];
}

/* ---- of samples on both sides: processor time a second */

static void run_of(const void *ctx, size_t row, unsigned s, char buf[CELL_BYTES])
{
	const struct diff_report *rep = ctx;
	const double ns = (double)row_of(ctx, row)->value[METRIC_RUN][s] / rep->diff.seconds[s];

	/* A part without length has no rate. */
	snprintf(buf, CELL_BYTES, "%s", isfinite(ns) ? HUMAN(whole_number(ns)) : "-");
}

static void share_of(const void *ctx, size_t row, unsigned s, char buf[CELL_BYTES])
{
	const struct diff_report *rep = ctx;

	snprintf(buf, CELL_BYTES, "%.1f%%",
		 diff_share_pct(&rep->diff, row_of(ctx, row), METRIC_SELF, s));
}

#define CELL(name, call)                                                                    \
	static void name(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES]) \
	{                                                                                   \
		(void)width;                                                                \
		call;                                                                       \
	}
CELL(run_a, run_of(ctx, row, 0, buf))
CELL(run_b, run_of(ctx, row, 1, buf))
CELL(share_a, share_of(ctx, row, 0, buf))
CELL(share_b, share_of(ctx, row, 1, buf))

static void run_change(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct diff_row *x = row_of(ctx, row);
	const struct diff_report *rep = ctx;
	const struct growth *g = diff_growth_of(&rep->judge, x, METRIC_RUN);

	(void)width;
	buf[0] = '\0';
	if (!x->there[0] || !x->there[1])
		snprintf(buf, CELL_BYTES, "%s", diff_row_kind(x));
	else if (isfinite(g->pct))
		snprintf(buf, CELL_BYTES, "%+.1f%%", g->pct);
}

static void run_interval(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct diff_report *rep = ctx;
	const struct growth *g = diff_growth_of(&rep->judge, row_of(ctx, row), METRIC_RUN);

	(void)width;
	buf[0] = '\0';
	if (isfinite(g->pct) && g->low > -1e4 && g->high < 1e4)
		snprintf(buf, CELL_BYTES, "%+.1f..%+.1f", g->low, g->high);
}

static void points(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct diff_report *rep = ctx;

	(void)width;
	snprintf(buf, CELL_BYTES, "%+.1f", diff_points(&rep->diff, row_of(ctx, row), METRIC_SELF));
}

static void chance(const void *ctx, size_t row, unsigned width, char buf[CELL_BYTES])
{
	const struct diff_report *rep = ctx;

	(void)width;
	snprintf(buf, CELL_BYTES, "%.1f",
		 diff_share_chance(&rep->diff, row_of(ctx, row), METRIC_SELF));
}

static bool of_run(const void *ctx)
{
	const struct diff_report *rep = ctx;

	return rep->diff.sampled;
}

static bool of_programs(const void *ctx)
{
	const struct diff_report *rep = ctx;

	return rep->n_rows && diff_report_program(rep, rep->diff.rows);
}

static void program(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	table_name(buf, diff_report_program(ctx, row_of(ctx, row)), words);
}

static const char run[] = "RUN", share[] = "SHARE";

static const struct table_column columns[] = {
	{ "run_ns_a", "A", 6, { 0, 0 }, .when = of_run, .cell = run_a, .group = run },
	{ "run_ns_b", "B", 6, { 0, 0 }, .when = of_run, .cell = run_b, .group = run },
	{ "run_change_pct", "%", 6, { 0, 0 }, .when = of_run, .cell = run_change, .group = run },
	{ "run_interval",
	  "99.9 %",
	  14,
	  { 0, 100 },
	  .left = true,
	  .when = of_run,
	  .cell = run_interval,
	  .group = run },
	{ "self_pct_a", "A", 6, { 0, 0 }, .cell = share_a, .group = share },
	{ "self_pct_b", "B", 6, { 0, 0 }, .cell = share_b, .group = share },
	{ "self_points", "POINTS", 7, { 0, 0 }, .cell = points, .group = share },
	{ "chance_points", "CHANCE", 6, { 0, 0 }, .cell = chance, .group = share },
	{ "program", "PROGRAM", 7, { 0, 0 }, .left = true, .when = of_programs, .cell = program },
	{ 0 },
};

int diff_shares_text(const struct diff_report *rep, FILE *out)
{
	struct diff_naming naming = { .d = rep };
	struct table t;
	int err = 0;

	diff_table_begin(&t, rep, columns, rep->n_rows);
	if (rep->diff.sampled)
		table_groups(&t, out);
	table_heading(&t, out, rep->opt->by == BY_PATH ? "PATH" : "FUNCTION");
	for (size_t i = 0; !err && i < rep->n_rows; i++)
		err = diff_name(&naming, &rep->diff.rows[i], out, table_row(&t, out, i), "");
	diff_naming_free(&naming);
	return err;
}

int diff_shares_csv(const struct diff_report *rep, FILE *out)
{
	const struct diff *d = &rep->diff;
	const bool programs = d->names.program && rep->opt->by != BY_PATH;
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	fprintf(out,
		"%s,change,self_pct_a,self_pct_b,self_points,chance_points,count_a,count_b%s%s\n",
		diff_report_what(rep), d->sampled ? DIFF_RUN_CSV_HEADING : "",
		programs ? ",program" : "");
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct diff_row *row = &d->rows[i];

		if (rep->opt->by == BY_PATH)
			err = path_field_csv(&d->tree, &d->names.info, row->key, &nodes, &cap, out);
		else
			csv_field(out, diff_report_name(rep, row));
		fprintf(out, ",%s,%.4f,%.4f,%.4f,%.4f,%" PRIu64 ",%" PRIu64, diff_row_kind(row),
			diff_share_pct(d, row, METRIC_SELF, 0),
			diff_share_pct(d, row, METRIC_SELF, 1),
			diff_points(&rep->diff, row, METRIC_SELF),
			diff_share_chance(d, row, METRIC_SELF), row->value[METRIC_CALLS][0],
			row->value[METRIC_CALLS][1]);
		if (d->sampled)
			diff_run_csv(rep, row, out);
		if (programs) {
			fputc(',', out);
			csv_field(out, diff_report_program(rep, row));
		}
		fputc('\n', out);
	}
	free(nodes);
	return err;
}

void diff_shares_json(const struct diff_report *rep, const struct diff_row *row, struct json *j)
{
	const struct diff *d = &rep->diff;

	json_key(j, "self_pct_a");
	json_double(j, diff_share_pct(d, row, METRIC_SELF, 0));
	json_key(j, "self_pct_b");
	json_double(j, diff_share_pct(d, row, METRIC_SELF, 1));
	json_key(j, "self_points");
	json_double(j, diff_points(&rep->diff, row, METRIC_SELF));
	json_key(j, "chance_points");
	json_double(j, diff_share_chance(d, row, METRIC_SELF));
	json_kv_u64(j, "count_a", row->value[METRIC_CALLS][0]);
	json_kv_u64(j, "count_b", row->value[METRIC_CALLS][1]);
	if (d->sampled)
		diff_run_json(rep, row, j);
}

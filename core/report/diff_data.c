// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons for programs: csv and json, of the same columns. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/trace_json.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "report/diff_calls.h"
#include "report/diff_rows.h"
#include "report/report_formats.h"
#include "report/path_fields.h"

/* Calls first, as in a report. */
static const struct {
	const char *name;
	enum diff_metric metric;
} columns[] = {
	{ "calls", METRIC_CALLS },
	{ "total_ns", METRIC_TOTAL },
	{ "self_ns", METRIC_SELF },
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static double pct(const struct diff_row *row, enum diff_metric m)
{
	return 100.0 * (double)diff_change(row, m) / (double)row->value[m][0];
}

/* ---- csv */

static void csv_numbers(const struct diff_row *row, FILE *out)
{
	for (size_t c = 0; c < N_COLUMNS; c++) {
		enum diff_metric m = columns[c].metric;

		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",", row->value[m][0],
			row->value[m][1], diff_change(row, m));
		if (row->value[m][0])
			fprintf(out, "%.2f", pct(row, m));
	}
}

static int csv_rows(const struct diff_report *d, FILE *out)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	fprintf(out, "%s,change", diff_report_what(d));
	for (size_t c = 0; c < N_COLUMNS; c++)
		fprintf(out, ",%s_a,%s_b,%s_change,%s_change_pct", columns[c].name, columns[c].name,
			columns[c].name, columns[c].name);
	fputs(DIFF_RUN_CSV_HEADING, out);
	if (d->opt->by != BY_PATH)
		diff_calls_csv_heading(out);
	fputc('\n', out);
	for (size_t i = 0; !err && i < d->n_rows; i++) {
		if (d->opt->by == BY_PATH)
			err = path_field_csv(&d->diff.tree, &d->diff.names.info,
					     d->diff.rows[i].key, &nodes, &cap, out);
		else
			csv_field(out, diff_report_name(d, &d->diff.rows[i]));
		fprintf(out, ",%s", diff_row_kind(&d->diff.rows[i]));
		csv_numbers(&d->diff.rows[i], out);
		diff_run_csv(d, &d->diff.rows[i], out);
		if (d->opt->by != BY_PATH)
			diff_calls_csv(d, &d->diff.rows[i], out);
		fputc('\n', out);
	}
	free(nodes);
	return err;
}

int diff_csv(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out)
{
	struct diff_report d;
	int err = diff_report_load(&d, r, opt);

	if (!err)
		err = d.diff.shares ? diff_shares_csv(&d, out) : csv_rows(&d, out);
	if (!err)
		err = outfile_check(out);
	if (!err && d.n_folded && d.diff.states)
		log_info(
			"%zu %s%s folded: RUN changed by less than %g%% or %s (--threshold, --min), or not for sure",
			d.n_folded, diff_report_what(&d), plural(d.n_folded), opt->threshold_pct,
			HUMAN(d.judge.min_run_ns));
	else if (!err && d.n_folded && !d.diff.shares)
		log_info("%zu %s%s folded: changed by less than %g%% or %s (--threshold, --min)",
			 d.n_folded, diff_report_what(&d), plural(d.n_folded), opt->threshold_pct,
			 HUMAN(d.judge.min_ns));
	for (size_t i = 0; !err && i < d.notes.n; i++)
		log_info("note: %s", d.notes.lines[i]);
	diff_report_free(&d);
	return err;
}

/* ---- json */

static void json_numbers(struct json *j, const struct diff_row *row)
{
	char key[32];

	for (size_t c = 0; c < N_COLUMNS; c++) {
		enum diff_metric m = columns[c].metric;

		for (unsigned s = 0; s < 2; s++) {
			snprintf(key, sizeof(key), "%s_%c", columns[c].name, "ab"[s]);
			json_kv_u64(j, key, row->value[m][s]);
		}
		snprintf(key, sizeof(key), "%s_change", columns[c].name);
		json_key(j, key);
		json_i64(j, diff_change(row, m));
		snprintf(key, sizeof(key), "%s_change_pct", columns[c].name);
		json_key(j, key);
		if (row->value[m][0])
			json_double(j, pct(row, m));
		else
			json_null(j);
	}
}

static void json_values(const struct diff_report *d, const struct diff_row *row, struct json *j)
{
	if (d->diff.shares) {
		diff_shares_json(d, row, j);
		return;
	}
	json_numbers(j, row);
	diff_run_json(d, row, j);
	if (d->opt->by != BY_PATH)
		diff_calls_json(d, row, j);
}

static int json_rows(const struct diff_report *d, struct json *j)
{
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	json_key(j, "rows");
	json_open(j, '[');
	for (size_t i = 0; !err && i < d->n_rows; i++) {
		json_open(j, '{');
		if (d->opt->by == BY_PATH) {
			json_key(j, "path");
			err = path_field_json(&d->diff.tree, &d->diff.names.info,
					      d->diff.rows[i].key, &nodes, &cap, j);
		} else {
			json_kv_str(j, "function", diff_report_name(d, &d->diff.rows[i]));
			if (diff_report_program(d, &d->diff.rows[i]))
				json_kv_str(j, "program", diff_report_program(d, &d->diff.rows[i]));
		}
		json_kv_str(j, "change", diff_row_kind(&d->diff.rows[i]));
		json_kv_bool(j, "traced_in_both",
			     diff_row_untraced(&d->diff, &d->diff.rows[i]) < 0);
		json_values(d, &d->diff.rows[i], j);
		json_close(j, '}');
	}
	json_close(j, ']');
	free(nodes);
	return err;
}

static void json_side(const struct diff_report *d, struct json *j, unsigned s)
{
	json_key(j, s ? "b" : "a");
	json_open(j, '{');
	json_kv_str(j, "file", d->opt->file[s]);
	trace_json_totals(&d->diff.side[s], j);
	json_close(j, '}');
}

static int json_all(const struct diff_report *d, struct json *j)
{
	json_open(j, '{');
	json_kv_str(j, "by", diff_report_what(d));
	json_side(d, j, 0);
	json_side(d, j, 1);
	json_key(j, "threshold_pct");
	json_double(j, d->opt->threshold_pct);
	json_kv_u64(j, "min_ns", d->judge.min_ns);
	json_kv_u64(j, "min_run_ns", d->judge.min_run_ns);
	int err = json_rows(d, j);

	json_kv_u64(j, "folded_rows", d->n_folded);
	json_kv_u64(j, "unsure_rows", d->n_unsure);
	json_kv_u64(j, "equal_rows", d->n_equal);
	json_kv_u64(j, "hidden_rows", d->n_hidden);
	json_key(j, "notes");
	json_open(j, '[');
	for (size_t i = 0; i < d->notes.n; i++)
		json_str(j, d->notes.lines[i]);
	json_close(j, ']');
	json_close(j, '}');
	return err;
}

int diff_json(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out)
{
	struct diff_report d;
	struct json j;
	int err = diff_report_load(&d, r, opt);

	if (!err) {
		json_init(&j, out, true);
		err = json_all(&d, &j);
	}
	if (!err)
		err = outfile_check(out);
	diff_report_free(&d);
	return err;
}

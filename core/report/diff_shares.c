// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons of which one side has samples: shares and the points between them. */
#include "analysis/diff_shares.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "base/csv.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "report/diff_rows.h"
#include "report/path_fields.h"

static int name(const struct diff_report *d, const struct diff_row *row, FILE *out, int used,
		uint32_t **path, size_t *cap)
{
	const struct call_tree *t = &d->diff.tree;
	int err = 0;

	if (!d->diff.by_path) {
		text_name(out, diff_report_name(d, row), text_room(d->opt->width, (size_t)used));
		return 0;
	}
	err = call_tree_path(t, row->key, path, cap);
	for (uint32_t i = 0; !err && i < t->nodes[row->key].level; i++) {
		fputs(i ? ";" : "", out);
		text_safe(out, trace_name_func(&d->diff.names.info, t->nodes[(*path)[i]].func));
	}
	return err;
}

/* Of samples on both sides: processor time. */
static int run_times(const struct diff_report *rep, const struct diff_row *row, FILE *out)
{
	const struct growth *g = diff_report_growth(rep, row, METRIC_RUN);
	uint64_t ns[2];
	char pct[24] = "", in[40] = "";

	for (unsigned s = 0; s < 2; s++)
		ns[s] = (uint64_t)((double)row->value[METRIC_RUN][s] / rep->diff.seconds[s]);
	if (!row->there[0] || !row->there[1])
		snprintf(pct, sizeof(pct), "%s", diff_row_kind(row));
	else if (isfinite(g->pct))
		snprintf(pct, sizeof(pct), "%+.1f%%", g->pct);
	if (isfinite(g->pct) && g->low > -1e4 && g->high < 1e4)
		snprintf(in, sizeof(in), "%+.1f..%+.1f", g->low, g->high);
	return fprintf(out, "%6s %6s %6s %-14s  ", HUMAN(ns[0]), HUMAN(ns[1]), pct, in);
}

int diff_shares_text(const struct diff_report *rep, FILE *out)
{
	const struct diff *d = &rep->diff;
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	const char *what = rep->opt->by == BY_PATH ? "PATH" : "FUNCTION";

	if (d->sampled)
		text_heading(rep->opt->colour, out, "%-35s  SHARE", "RUN");
	if (d->sampled)
		text_heading(rep->opt->colour, out, "%6s %6s %6s %-14s  %6s %6s %7s %6s  %s", "A",
			     "B", "%", "99.9 %", "A", "B", "POINTS", "CHANCE", what);
	else
		text_heading(rep->opt->colour, out, "%6s %6s %7s %6s  %s", "A", "B", "POINTS",
			     "CHANCE", what);
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct diff_row *row = &d->rows[i];
		int used = d->sampled ? run_times(rep, row, out) : 0;

		used += fprintf(out, "%5.1f%% %5.1f%% %+7.1f %6.1f  ",
				diff_share_pct(d, row, METRIC_SELF, 0),
				diff_share_pct(d, row, METRIC_SELF, 1),
				diff_report_points(rep, row, METRIC_SELF),
				diff_share_chance(d, row, METRIC_SELF));

		err = name(rep, row, out, used, &nodes, &cap);
		fputc('\n', out);
	}
	free(nodes);
	return err;
}

int diff_shares_csv(const struct diff_report *rep, FILE *out)
{
	const struct diff *d = &rep->diff;
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	fprintf(out,
		"%s,change,self_pct_a,self_pct_b,self_points,chance_points,count_a,count_b%s\n",
		diff_report_what(rep), d->sampled ? DIFF_RUN_CSV_HEADING : "");
	for (size_t i = 0; !err && i < rep->n_rows; i++) {
		const struct diff_row *row = &d->rows[i];

		if (rep->opt->by == BY_PATH)
			err = path_field_csv(&d->tree, &d->names.info, row->key, &nodes, &cap, out);
		else
			csv_field(out, diff_report_name(rep, row));
		fprintf(out, ",%s,%.4f,%.4f,%.4f,%.4f,%" PRIu64 ",%" PRIu64, diff_row_kind(row),
			diff_share_pct(d, row, METRIC_SELF, 0),
			diff_share_pct(d, row, METRIC_SELF, 1),
			diff_report_points(rep, row, METRIC_SELF),
			diff_share_chance(d, row, METRIC_SELF), row->value[METRIC_CALLS][0],
			row->value[METRIC_CALLS][1]);
		if (d->sampled)
			diff_run_csv(rep, row, out);
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
	json_double(j, diff_report_points(rep, row, METRIC_SELF));
	json_key(j, "chance_points");
	json_double(j, diff_share_chance(d, row, METRIC_SELF));
	json_kv_u64(j, "count_a", row->value[METRIC_CALLS][0]);
	json_kv_u64(j, "count_b", row->value[METRIC_CALLS][1]);
	if (d->sampled)
		diff_run_json(rep, row, j);
}

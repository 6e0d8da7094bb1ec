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
#include "report/diff_rows.h"
#include "report/formats.h"

/* By call, where the numbers of calls differ and times are compared so. */
static uint64_t time_of(const struct diff_row *row, enum diff_metric m, unsigned s)
{
	return row->by_call && diff_row_per_call(row)
		       ? row->value[m][s] / row->value[METRIC_CALLS][s]
		       : row->value[m][s];
}

/* "+6.3%", from ten times on "x12"; "" where nothing changed, "new", "gone", "-" where there was
 * nothing to compare with. */
static const char *relative(const struct diff_row *row, enum diff_metric m, char buf[24])
{
	double a = (double)time_of(row, m, 0), b = (double)time_of(row, m, 1);
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

struct widths {
	int a, b; /* of calls */
};

static struct widths measure(const struct diff_report *d)
{
	struct widths w = { 5, 5 };

	for (size_t i = 0; i < d->n_rows; i++) {
		w.a = text_width(d->diff.rows[i].value[METRIC_CALLS][0], w.a);
		w.b = text_width(d->diff.rows[i].value[METRIC_CALLS][1], w.b);
	}
	return w;
}

static int times(const struct diff_row *row, enum diff_metric m, FILE *out)
{
	char pct[24];

	return fprintf(out, "%6s %6s %6s  ", row->there[0] ? HUMAN(time_of(row, m, 0)) : "-",
		       row->there[1] ? HUMAN(time_of(row, m, 1)) : "-", relative(row, m, pct));
}

/* A path is written whole, a function's name in what `used` columns leave of the line. */
static int name(const struct diff_report *d, const struct diff_row *row, FILE *out, int used,
		uint32_t **path, size_t *cap)
{
	const struct call_tree *t = &d->diff.tree;
	const bool by_call = row->by_call && diff_row_per_call(row);
	int missing = diff_row_untraced(&d->diff, row), err = 0;

	if (d->diff.by_path) {
		err = call_tree_path(t, row->key, path, cap);
		for (uint32_t i = 0; !err && i < t->nodes[row->key].level; i++) {
			fputs(i ? ";" : "", out);
			text_safe(out,
				  trace_name_func(&d->diff.names.info, t->nodes[(*path)[i]].func));
		}
	} else {
		text_name(out, diff_report_name(d, row),
			  text_room(d->opt->width,
				    (size_t)used + (missing < 0 ? 0 : strlen(UNTRACED) - 1) +
					    (by_call ? strlen(BY_CALL) : 0)));
	}
	if (by_call)
		fputs(BY_CALL, out);
	if (missing >= 0)
		fprintf(out, UNTRACED, "AB"[missing]);
	fputc('\n', out);
	return err;
}

/* RUN with its interval: "+9.6% +8.9..+10.3". */
static int run_times(const struct diff_report *d, const struct diff_row *row, FILE *out)
{
	const struct growth *g = diff_report_growth(d, row, METRIC_RUN);
	char pct[24], in[40] = "";

	relative(row, METRIC_RUN, pct);
	if (row->there[0] && row->there[1] && isfinite(g->pct)) {
		snprintf(pct, sizeof(pct), g->pct < 999.5 ? "%+.1f%%" : "%+.0e%%", g->pct);
		if (g->low > -1e4 && g->high < 1e4)
			snprintf(in, sizeof(in), "%+.1f..%+.1f", g->low, g->high);
	}
	return fprintf(out, "%6s %6s %6s %-14s  ",
		       row->there[0] ? HUMAN(time_of(row, METRIC_RUN, 0)) : "-",
		       row->there[1] ? HUMAN(time_of(row, METRIC_RUN, 1)) : "-", pct, in);
}

/* With states: RUN, and SELF or, where that sorts them, TOTAL. */
static int table_of_run(const struct diff_report *d, FILE *out)
{
	const enum diff_metric other = d->opt->sort == DIFF_TOTAL ? METRIC_TOTAL : METRIC_SELF;
	struct widths w = measure(d);
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	text_heading(d->opt->colour, out, "%-35s  %-20s  CALLS", "RUN",
		     other == METRIC_TOTAL ? "TOTAL" : "SELF");
	text_heading(d->opt->colour, out, "%6s %6s %6s %-14s  %6s %6s %6s  %*s %*s  %s", "A", "B",
		     "%", "95 %", "A", "B", "%", w.a, "A", w.b, "B",
		     d->opt->by == BY_PATH ? "PATH" : "FUNCTION");
	for (size_t i = 0; !err && i < d->n_rows; i++) {
		const struct diff_row *row = &d->diff.rows[i];
		int used = run_times(d, row, out) + times(row, other, out);

		used += fprintf(out, "%*" PRIu64 " %*" PRIu64 "  ", w.a,
				row->value[METRIC_CALLS][0], w.b, row->value[METRIC_CALLS][1]);
		err = name(d, row, out, used, &nodes, &cap);
	}
	free(nodes);
	return err;
}

static int table(const struct diff_report *d, FILE *out)
{
	struct widths w = measure(d);
	uint32_t *nodes = NULL;
	size_t cap = 0;
	int err = 0;

	text_heading(d->opt->colour, out, "%-20s  %-20s  CALLS", "SELF", "TOTAL");
	text_heading(d->opt->colour, out, "%6s %6s %6s  %6s %6s %6s  %*s %*s  %s", "A", "B", "%",
		     "A", "B", "%", w.a, "A", w.b, "B",
		     d->opt->by == BY_PATH ? "PATH" : "FUNCTION");
	for (size_t i = 0; !err && i < d->n_rows; i++) {
		const struct diff_row *row = &d->diff.rows[i];

		int used = times(row, METRIC_SELF, out) + times(row, METRIC_TOTAL, out);

		used += fprintf(out, "%*" PRIu64 " %*" PRIu64 "  ", w.a,
				row->value[METRIC_CALLS][0], w.b, row->value[METRIC_CALLS][1]);
		err = name(d, row, out, used, &nodes, &cap);
	}
	free(nodes);
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
		fprintf(out, "%zu more changed %s%s (-n 0 shows all)\n", d->n_hidden, what,
			plural(d->n_hidden));
	if (d->n_folded && d->diff.shares)
		fprintf(out,
			"%zu %s%s folded: shares that chance among so many samples can make, or that differ by less than %g%% (--threshold)\n",
			d->n_folded, what, plural(d->n_folded), d->opt->threshold_pct);
	else if (d->n_folded && d->diff.states)
		fprintf(out,
			"%zu %s%s folded: RUN changed by less than %g%% or %s and SELF by less than %g%% or %s (--threshold, --min), or not for sure\n",
			d->n_folded, what, plural(d->n_folded), d->opt->threshold_pct,
			HUMAN(d->min_run_ns), d->opt->threshold_pct, HUMAN(d->min_ns));
	else if (d->n_folded)
		fprintf(out,
			"%zu %s%s folded: changed by less than %g%% or %s (--threshold, --min)\n",
			d->n_folded, what, plural(d->n_folded), d->opt->threshold_pct,
			HUMAN(d->min_ns));
	if (d->n_unsure)
		fprintf(out,
			"%zu of them may have changed by more; several recordings a side would tell (A1 A2 A3 -- B1 B2 B3)\n",
			d->n_unsure);
	if (d->n_equal)
		fprintf(out, "%zu %s%s equal in calls, total and self\n", d->n_equal, what,
			plural(d->n_equal));
}

static void sides(const struct diff_report *d, FILE *out)
{
	fputc('\n', out);
	for (unsigned s = 0; s < 2; s++) {
		const struct model_totals *t = d->diff.side[s].totals;

		fprintf(out, "%c: ", "AB"[s]);
		text_safe(out, d->opt->file[s]);
		fprintf(out, ", %" PRIu64 " %s%s, %" PRIu64 " goroutine%s in %s\n", t->calls,
			d->diff.side[s].samples ? "sample" : "call", plural(t->calls),
			t->goroutines, plural(t->goroutines),
			HUMAN(loaded_trace_span_ns(&d->diff.side[s])));
	}
	for (size_t i = 0; i < d->notes.n; i++) {
		fputs("note: ", out);
		text_safe(out, d->notes.lines[i]);
		fputc('\n', out);
	}
}

int diff_text(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out)
{
	struct diff_report d;
	int err = diff_report_load(&d, r, opt);

	if (!err)
		headline(&d, out);
	if (!err && d.n_rows)
		err = d.diff.shares   ? diff_shares_text(&d, out)
		      : d.diff.states ? table_of_run(&d, out)
				      : table(&d, out);
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

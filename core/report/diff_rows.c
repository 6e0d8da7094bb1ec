// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/diff_notes.h"
#include "analysis/diff_shares.h"
#include "analysis/trace_names.h"
#include "analysis/whole_paths.h"
#include "base/compare.h"
#include "base/log.h"

static uint64_t size_of_change(const struct diff_row *row, enum diff_metric m)
{
	int64_t c = diff_change(row, m);

	return c < 0 ? -(uint64_t)c : (uint64_t)c;
}

static bool counts(const struct diff_report *rep, const struct diff_row *row, enum diff_metric m)
{
	uint64_t size = size_of_change(row, m);

	return size && (m == METRIC_CALLS || size >= rep->min_ns) &&
	       (double)size * 100 >= rep->opt->threshold_pct * (double)row->value[m][0];
}

static bool equal(const struct diff_row *row)
{
	return row->there[0] == row->there[1] && !diff_change(row, METRIC_SELF) &&
	       !diff_change(row, METRIC_TOTAL) && !diff_change(row, METRIC_CALLS);
}

double diff_report_points(const struct diff_report *rep, const struct diff_row *row,
			  enum diff_metric m)
{
	return diff_share_pct(&rep->diff, row, m, 1) - diff_share_pct(&rep->diff, row, m, 0);
}

static bool differs(const struct diff_report *rep, const struct diff_row *row, enum diff_metric m)
{
	double points = fabs(diff_report_points(rep, row, m));

	return points > diff_share_chance(&rep->diff, row, m) &&
	       points * 100 >= rep->opt->threshold_pct * diff_share_pct(&rep->diff, row, m, 0);
}

/* Total time of calls on all goroutines may be many times that of the program, so shares of it
 * say little where one side has calls: self decides. */
static bool to_show(const struct diff_report *rep, const struct diff_row *row)
{
	if (rep->diff.shares)
		return differs(rep, row, METRIC_SELF);
	return counts(rep, row, METRIC_SELF) || counts(rep, row, METRIC_TOTAL) ||
	       counts(rep, row, METRIC_CALLS);
}

/* The rows that are to be shown come first. */
static void sift(struct diff_report *rep)
{
	struct diff *d = &rep->diff;
	size_t n = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct diff_row row = d->rows[i];

		if (!row.there[0] && !row.there[1])
			continue;
		if (equal(&row))
			rep->n_equal++;
		else if (to_show(rep, &row))
			d->rows[n++] = row;
		else
			rep->n_folded++;
	}
	rep->n_rows = n;
}

static int by_change(const void *x, const void *y, void *ctx)
{
	static const enum diff_metric metric[] = {
		[DIFF_SELF] = METRIC_SELF,
		[DIFF_TOTAL] = METRIC_TOTAL,
		[DIFF_CALLS] = METRIC_CALLS,
	};
	const struct diff_report *rep = ctx;
	const struct diff_row *a = x, *b = y;
	int c = 0;

	if (rep->diff.shares && rep->opt->sort != DIFF_NAME) { /* the only column there is */
		double x_pct = fabs(diff_report_points(rep, a, METRIC_SELF)),
		       y_pct = fabs(diff_report_points(rep, b, METRIC_SELF));

		c = (x_pct < y_pct) - (x_pct > y_pct);
	} else if (rep->opt->sort != DIFF_NAME) {
		enum diff_metric m = metric[rep->opt->sort];

		c = compare_u64(size_of_change(b, m), size_of_change(a, m));
	}
	if (c)
		return c;
	return compare_u64(a->key, b->key);
}

static uint64_t least_change_ns(const struct diff_report *rep)
{
	uint64_t a = loaded_trace_span_ns(&rep->diff.side[0]);
	uint64_t b = loaded_trace_span_ns(&rep->diff.side[1]);

	return rep->opt->min_ns == DIFF_MIN_AUTO ? (a > b ? a : b) / 100 : rep->opt->min_ns;
}

/* Rows that have all functions of a path: as many as there is room for. */
static void bound_rows(struct diff_report *rep, struct trace_reader *const r[2])
{
	uint64_t a = whole_paths_most(r[0]), b = whole_paths_most(r[1]), most = a > b ? a : b,
		 left = most;
	size_t n = 0;

	for (; n < rep->n_rows; n++) {
		const uint64_t bytes = whole_paths_row(&rep->diff.tree, &rep->diff.names.info,
						       rep->diff.rows[n].key);

		if (bytes > left)
			break;
		left -= bytes;
	}
	if (n < rep->n_rows)
		log_warn(
			"the last %zu rows are left out: all functions of each path are too many bytes (more than %" PRIu64
			" MB for recordings of this size)",
			rep->n_rows - n, most >> 20);
	rep->n_hidden += rep->n_rows - n;
	rep->n_rows = n;
}

int diff_report_load(struct diff_report *rep, struct trace_reader *const r[2],
		     const struct diff_options *opt)
{
	bool by_path = opt->by == BY_PATH;

	*rep = (struct diff_report){ .opt = opt };
	int err = diff_load(&rep->diff, r, by_path, opt->raw);

	if (err)
		return err;
	rep->min_ns = least_change_ns(rep);
	sift(rep);
	if (rep->n_rows)
		qsort_r(rep->diff.rows, rep->n_rows, sizeof(*rep->diff.rows), by_change, rep);
	if (opt->limit && rep->n_rows > opt->limit) {
		rep->n_hidden = rep->n_rows - opt->limit;
		rep->n_rows = opt->limit;
	}
	if (by_path)
		bound_rows(rep, r);
	if (rep->diff.shares)
		diff_shares_notes(&rep->diff, &rep->notes);
	err = diff_notes(&rep->diff.side[0], &rep->diff.side[1], by_path, &rep->notes);
	if (err)
		log_no_memory("no memory for the notes below the comparison");
	return err;
}

void diff_report_free(struct diff_report *rep)
{
	diff_free(&rep->diff);
	notes_free(&rep->notes);
}

const char *diff_report_what(const struct diff_report *rep)
{
	return rep->opt->by == BY_PATH ? "path" : "function";
}

const char *diff_report_name(const struct diff_report *rep, const struct diff_row *row)
{
	return trace_name_func(&rep->diff.names.info, diff_row_func(&rep->diff, row));
}

// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/diff/diff_notes.h"
#include "analysis/diff/diff_shares.h"
#include "analysis/trace_names.h"
#include "analysis/calls/whole_paths.h"
#include "base/compare.h"
#include "base/glob.h"
#include "base/log.h"
#include "base/vec.h"
#include "report/diff_calls.h"

static uint64_t size_of_change(const struct diff_row *row, enum diff_metric m)
{
	int64_t c = diff_change(row, m);

	return c < 0 ? -(uint64_t)c : (uint64_t)c;
}

static int keep_calls(struct diff_report *rep, const struct diff_row *row)
{
	const struct call_times t = diff_call_times(rep, row);

	if (!t.changed[CALL_MEAN] && !t.changed[CALL_P99])
		return 0;
	if (vec_reserve(&rep->call_rows, &rep->cap_call_rows, rep->n_call_rows + 1))
		return -ENOMEM;
	rep->call_rows[rep->n_call_rows++] = *row;
	return 0;
}

/* The rows that are to be shown come first. */
static int sift(struct diff_report *rep)
{
	struct diff *d = &rep->diff;
	size_t n = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct diff_row row = d->rows[i];

		const enum diff_verdict verdict = diff_verdict(&rep->judge, &row);

		if (verdict != DIFF_NOT_THERE && keep_calls(rep, &row))
			return -ENOMEM;
		rep->n_equal += verdict == DIFF_EQUAL;
		rep->n_folded += verdict == DIFF_FOLDED || verdict == DIFF_UNSURE;
		rep->n_unsure += verdict == DIFF_UNSURE;
		if (verdict == DIFF_CHANGED)
			d->rows[n++] = row;
	}
	rep->n_rows = n;
	return 0;
}

static int by_change(const void *x, const void *y, void *ctx)
{
	const struct diff_report *rep = ctx;
	const struct diff_row *a = x, *b = y;
	int c = 0;

	const bool by_run = rep->diff.sampled && rep->opt->sort == DIFF_RUN;

	if (rep->diff.shares && rep->opt->sort != DIFF_NAME && !by_run) {
		double x_pct = fabs(diff_points(&rep->diff, a, METRIC_SELF)),
		       y_pct = fabs(diff_points(&rep->diff, b, METRIC_SELF));

		c = (x_pct < y_pct) - (x_pct > y_pct);
	} else if (rep->opt->sort != DIFF_NAME && (rep->diff.states || by_run) &&
		   rep->by != METRIC_CALLS) {
		const double x_ns = diff_grown_ns(&rep->judge, a, rep->by),
			     y_ns = diff_grown_ns(&rep->judge, b, rep->by);

		c = (x_ns < y_ns) - (x_ns > y_ns);
	} else if (rep->opt->sort != DIFF_NAME) {
		c = compare_u64(size_of_change(b, rep->by), size_of_change(a, rep->by));
	}
	if (c)
		return c;
	return compare_u64(a->key, b->key);
}

static enum diff_metric sorted_by(const struct diff_report *rep)
{
	static const enum diff_metric metric[] = {
		[DIFF_SELF] = METRIC_SELF, [DIFF_TOTAL] = METRIC_TOTAL, [DIFF_CALLS] = METRIC_CALLS
	};

	if (rep->opt->sort == DIFF_AUTO || rep->opt->sort == DIFF_RUN ||
	    rep->opt->sort == DIFF_NAME)
		return rep->diff.states || rep->diff.sampled ? METRIC_RUN : METRIC_SELF;
	return metric[rep->opt->sort];
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

static void notes_on_states(const struct diff_report *rep, struct notes *to)
{
	const struct loaded_trace *side = rep->diff.side;
	const struct diff_drift *most = &rep->judge.noise.mean[CALL_RUN];
	const double pct = 100 * expm1(most->common);

	if (!rep->diff.states) {
		notes_add(
			to,
			"no states in %s, so SELF is compared, with waiting and time without a processor",
			side[0].totals->states   ? "B"
			: side[1].totals->states ? "A"
						 : "A and B");
		return;
	}
	notes_add(to, "times exclude time without a processor (OFF-CPU)");
	if (most->n >= GROWTH_DRIFT_LEAST && fabs(pct) >= rep->opt->threshold_pct)
		notes_add(
			to,
			"RUN of most functions changed by some %+.0f%%; one recording a side does not show if "
			"the machine or the code did that",
			pct);
}

/* Names the functions that may not have grown so much. */
static void hold_to(struct diff_limit *limit, const struct diff_report *rep)
{
	for (size_t i = 0; i < rep->diff.n_rows; i++) {
		const struct diff_row *row = &rep->diff.rows[i];
		const char *name = diff_report_name(rep, row);
		const struct growth *g = diff_growth_of(&rep->judge, row, METRIC_RUN);

		if (!row->there[0] || !row->there[1] || !(g->low > limit->pct) ||
		    (limit->functions && !glob_match(limit->functions, name)))
			continue;
		limit->n_over++;
		log_info("RUN of %s grew by %.1f%% (%.1f%% to %.1f%%), --fail-if '%s'", name,
			 g->pct, g->low, g->high, limit->as_given);
	}
}

static int check_limit(const struct diff_report *rep)
{
	if (!rep->opt->limit_of_run)
		return 0;
	if (!rep->diff.states && !rep->diff.sampled) {
		log_error(
			"--fail-if compares RUN, which needs states on both sides; record without --no-states");
		return -ENOTSUP;
	}
	hold_to(rep->opt->limit_of_run, rep);
	return 0;
}

int diff_report_load(struct diff_report *rep, struct trace_reader *const r[2],
		     const struct diff_options *opt)
{
	bool by_path = opt->by == BY_PATH;

	*rep = (struct diff_report){ .opt = opt };
	int err = diff_load(&rep->diff, r, by_path, opt->raw);

	if (err)
		return err;
	rep->by = sorted_by(rep);
	err = diff_judge_begin(&rep->judge, &rep->diff,
			       &(struct diff_bar){ opt->threshold_pct, opt->min_ns,
						   opt->sort == DIFF_TOTAL });
	if (!err)
		err = check_limit(rep); /* all rows are there yet */
	if (err)
		return err;
	err = sift(rep);
	if (err) {
		log_no_memory("no memory to compare the traces");
		return err;
	}
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
	else
		notes_on_states(rep, &rep->notes);
	err = diff_notes(&rep->diff.side[0], &rep->diff.side[1], by_path, &rep->notes);
	if (err)
		log_no_memory("no memory for the notes below the comparison");
	return err;
}

void diff_report_free(struct diff_report *rep)
{
	diff_free(&rep->diff);
	diff_judge_free(&rep->judge);
	free(rep->call_rows);
	notes_free(&rep->notes);
}

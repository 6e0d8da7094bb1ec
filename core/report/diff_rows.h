/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison before it is written: which rows count as changed, in which order. */
#ifndef GOTRACE_DIFF_ROWS_H
#define GOTRACE_DIFF_ROWS_H

#include "analysis/diff/diff_verdict.h"
#include "analysis/notes.h"
#include "base/json.h"
#include "report/diff_formats.h"

struct diff_report {
	const struct diff_options *opt;
	struct diff diff; /* its rows are sifted and sorted: those to be shown come first */
	struct diff_judge judge;
	size_t n_rows, n_hidden;    /* shown; cut by the limit */
	size_t n_folded, n_equal;   /* changed, but not enough to count; not at all */
	size_t n_unsure;            /* folded ones that changed enough, but not for sure */
	enum diff_metric by;        /* what the rows are sorted by, unless by name */
	struct diff_row *call_rows; /* functions of which a call's mean or p99 changed */
	size_t n_call_rows, cap_call_rows;
	struct notes notes; /* why the two are not directly comparable */
};

/* 0 or -errno (logged); diff_report_free in either case. */
int diff_report_load(struct diff_report *rep, struct trace_reader *const r[2],
		     const struct diff_options *opt);
void diff_report_free(struct diff_report *rep);

/* diff_shares_text.c: of shares, the table as text, the rows as csv, a row's numbers as json. 0 or
 * -errno. */
int diff_shares_text(const struct diff_report *rep, FILE *out);
int diff_shares_csv(const struct diff_report *rep, FILE *out);
void diff_shares_json(const struct diff_report *rep, const struct diff_row *row, struct json *j);

/* diff_run.c: columns of RUN and its growth; empty where it is not compared. */
void diff_run_csv(const struct diff_report *d, const struct diff_row *row, FILE *out);
void diff_run_json(const struct diff_report *d, const struct diff_row *row, struct json *j);
#define DIFF_RUN_CSV_HEADING ",run_ns_a,run_ns_b,run_change_pct,run_low_pct,run_high_pct"

/* "function" or "path". */
const char *diff_report_what(const struct diff_report *rep);
/* The name of the row's function. */
const char *diff_report_name(const struct diff_report *rep, const struct diff_row *row);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison before it is written, with its changed rows in order. */
#ifndef GOTRACE_DIFF_ROWS_H
#define GOTRACE_DIFF_ROWS_H

#include "analysis/diff/diff_verdict.h"
#include "analysis/notes.h"
#include "base/json.h"
#include "report/diff_formats.h"

struct diff_report {
	const struct diff_options *opt;
	struct diff diff; /* its rows are sorted, with the rows to show first */
	struct diff_judge judge;
	size_t n_rows, n_hidden;    /* rows shown; rows cut by the limit */
	size_t n_folded, n_equal;   /* rows changed, but not enough to count; unchanged rows */
	size_t n_unsure;            /* folded rows that changed enough, but not for sure */
	enum diff_metric by;        /* the metric that sorts rows, unless names do */
	struct diff_row *call_rows; /* functions with a changed mean or p99 of a call */
	size_t n_call_rows, cap_call_rows;
	struct notes notes; /* the reasons why the traces are not directly comparable */
};

/* 0 or -errno (logged); diff_report_free in either case. */
int diff_report_load(struct diff_report *rep, struct trace_reader *const r[2],
		     const struct diff_options *opt);
void diff_report_free(struct diff_report *rep);

/* diff_shares_text.c: for shares, write the table as text, the rows as csv, the numbers of a row as
 * json. 0 or -errno. */
int diff_shares_text(const struct diff_report *rep, FILE *out);
int diff_shares_csv(const struct diff_report *rep, FILE *out);
void diff_shares_json(const struct diff_report *rep, const struct diff_row *row, struct json *j);

/* diff_run.c: write columns of RUN and its growth; empty where RUN is not compared. */
void diff_run_csv(const struct diff_report *d, const struct diff_row *row, FILE *out);
void diff_run_json(const struct diff_report *d, const struct diff_row *row, struct json *j);
#define DIFF_RUN_CSV_HEADING ",run_ns_a,run_ns_b,run_change_pct,run_low_pct,run_high_pct"

/* Returns "function" or "path". */
const char *diff_report_what(const struct diff_report *rep);
/* Returns the name of the row's function. */
const char *diff_report_name(const struct diff_report *rep, const struct diff_row *row);
/* Returns the program of the row's function; NULL if rows are not apart by program, or have it in
 * their paths. */
const char *diff_report_program(const struct diff_report *rep, const struct diff_row *row);

#endif

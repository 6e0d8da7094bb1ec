/* SPDX-License-Identifier: BSD-2-Clause */
/* Mean and 99th percentile of a call, for functions with enough finished calls on both sides. */
#ifndef GOTRACE_DIFF_CALLS_H
#define GOTRACE_DIFF_CALLS_H

#include "report/diff_rows.h"

enum call_number { CALL_MEAN, CALL_P99, CALL_NUMBERS };

struct call_times {
	bool there;                 /* both sides have CALL_SERIES_LEAST finished calls */
	double ns[CALL_NUMBERS][2]; /* with states, without the time without a processor */
	bool changed[CALL_NUMBERS]; /* changed for sure, and enough to count; only with states */
};

/* Returns the numbers of a function. Paths have none. */
struct call_times diff_call_times(const struct diff_report *rep, const struct diff_row *row);

/* Write the names of csv's columns, the columns, and json's keys. Each column has a comma before
 * it. */
void diff_calls_csv_heading(FILE *out);
void diff_calls_csv(const struct diff_report *rep, const struct diff_row *row, FILE *out);
void diff_calls_json(const struct diff_report *rep, const struct diff_row *row, struct json *j);
/* Writes a table of functions whose calls changed, or nothing where there are none. 0 or -ENOMEM
 * (logged) */
void diff_calls_text(const struct diff_report *rep, FILE *out);

#endif

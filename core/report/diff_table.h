/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of comparisons, the ends of their lines, and sentences below them. */
#ifndef GOTRACE_DIFF_TABLE_H
#define GOTRACE_DIFF_TABLE_H

#include "report/diff_rows.h"
#include "report/table.h"

/* Begins a table of all rows below n. The ctx of its cells is the report. */
void diff_table_begin(struct table *t, const struct diff_report *d,
		      const struct table_column *columns, size_t n);

/* All fields except d are zero at first. */
struct diff_naming {
	const struct diff_report *d;
	uint32_t *path;
	size_t cap;
};

/* Ends a line whose first `used` columns are taken. A path is written whole, a function's name in
 * the remaining columns. `after` is that of text_named. 0 or -ENOMEM (logged). */
int diff_name(struct diff_naming *n, const struct diff_row *row, FILE *out, size_t used,
	      const char *after);
void diff_naming_free(struct diff_naming *n);

/* Writes a line, broken between words to fit the terminal. */
void diff_line(const struct diff_options *opt, FILE *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

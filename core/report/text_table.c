// SPDX-License-Identifier: BSD-2-Clause
#include "report/text_table.h"

#include "base/text_wrap.h"

#define PROGRAM_SHORT 16 /* columns of a program on a terminal of less than PROGRAM_FROM */
#define PROGRAM_LONG  40
#define PROGRAM_FROM  120

/* Columns of the widest name with what stands behind it. */
static size_t widest_name(const struct report *rep, const struct text_rows *of)
{
	char buf[REMARKS_BYTES];
	size_t widest = 0;

	for (size_t i = 0; i < rep->n_rows; i++) {
		const size_t n = text_columns(of->name(rep, rep->rows[i])) +
				 text_columns(of->remark(rep, rep->rows[i], buf));

		widest = n > widest ? n : widest;
	}
	return widest;
}

void text_table(const struct report *rep, FILE *out, const struct text_rows *of)
{
	const struct table_options opt = { .width = text_limit(rep),
					   .states = rep->trace.totals->states,
					   .colour = rep->opt->colour,
					   .columns = of->chosen,
					   .names = widest_name(rep, of) };
	char buf[REMARKS_BYTES];
	struct table t;

	table_begin(&t, &opt, of->columns, rep, rep->rows, rep->n_rows);
	table_heading(&t, out, of->heading);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const size_t row = rep->rows[i], used = table_row(&t, out, row);

		text_named(rep, out, of->name(rep, row), used, of->remark(rep, row, buf));
	}
	text_hidden(rep, out, of->what);
}

void text_program_cell(const struct report *rep, uint32_t func, unsigned words,
		       char buf[CELL_BYTES])
{
	const char *program = report_program(rep, func);

	table_name(buf, program ? program : "",
		   words && text_limit(rep) < PROGRAM_FROM ? PROGRAM_SHORT : PROGRAM_LONG);
}

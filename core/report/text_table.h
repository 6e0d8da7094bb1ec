/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables whose rows end with a function or another name. */
#ifndef GOTRACE_TEXT_TABLE_H
#define GOTRACE_TEXT_TABLE_H

#include "report/table.h"
#include "report/text.h"

#define REMARKS_BYTES (MARKS_BYTES + RELEASED_BYTES + 16)

struct text_rows {
	const struct table_column *columns; /* ctx of their cells is the report */
	const char *chosen;  /* names of chosen columns, or NULL for those that fit */
	const char *heading; /* heading of the names */
	const char *(*name)(const struct report *rep, size_t row);
	/* Returns the remark after the name, or "". */
	const char *(*remark)(const struct report *rep, size_t row, char buf[REMARKS_BYTES]);
	const char *what; /* the noun for rows, as in text_hidden */
};

/* Prints the rows of the report. */
void text_table(const struct report *rep, FILE *out, const struct text_rows *of);

/* Writes a cell with the program of a function. */
void text_program_cell(const struct report *rep, uint32_t func, unsigned words,
		       char buf[CELL_BYTES]);

#endif

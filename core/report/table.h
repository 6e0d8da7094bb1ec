/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people. Code here chooses the columns that fit a terminal, and their widths. */
#ifndef GOTRACE_TABLE_H
#define GOTRACE_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text_format.h"

#define TABLE_COLUMNS 24
#define CELL_BYTES    192
#define TABLE_SHORT   16
#define TABLE_LONG    40
#define FROM_WIDE     UINT_MAX /* fits no terminal, only lines of any length */

struct table_column {
	const char *name;    /* its name in --columns=, csv and json */
	const char *heading; /* NULL: the end of the array */
	unsigned least;      /* least width in columns */
	/* The width of the narrowest terminal that has it, for a trace without states and for one
	 * with states. */
	unsigned from[2];
	bool left;                     /* aligned on the left */
	bool (*when)(const void *ctx); /* NULL for always */
	/* Writes the text of a row, safe to print. Words in it that may be cut have `words` columns
	 * (TABLE_SHORT to TABLE_LONG; 0 for any number). */
	void (*cell)(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]);
	enum text_style (*style)(const void *ctx, size_t row); /* may be NULL */
	/* heading above it and above neighbours with an equal group; may be NULL */
	const char *group;
};

struct table_options {
	unsigned width;      /* the terminal's width; 0 for no limit and all columns */
	bool states, colour; /* the trace has states; the terminal shows styles */
	const char *columns; /* names between commas, in place of those that fit; may be NULL */
	size_t names;        /* width of the widest name, or 0 */
};

struct table {
	struct table_options opt;
	const void *ctx; /* for the cells */
	const struct table_column *columns[TABLE_COLUMNS];
	unsigned widths[TABLE_COLUMNS];
	size_t n;
	unsigned words; /* width of words in cells */
};

/* Chooses columns of `all` for the n rows that will be printed (rows NULL: those below n). Leaves
 * room for a name after them. */
void table_begin(struct table *t, const struct table_options *opt, const struct table_column *all,
		 const void *ctx, const size_t *rows, size_t n);
/* Writes a cell with a name in at most `columns` columns (0 for any number). */
void table_name(char buf[CELL_BYTES], const char *name, unsigned columns);
/* Prints the line above the headings, with the groups. */
void table_groups(const struct table *t, FILE *out);
/* Prints the headings; `last` is that of the names (NULL: there are none). */
void table_heading(const struct table *t, FILE *out, const char *last);
/* Prints the columns of one row, with two blanks after them. Returns the number of terminal columns
 * that they take. */
size_t table_row(const struct table *t, FILE *out, size_t row);

#endif

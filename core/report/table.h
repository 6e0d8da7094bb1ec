/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people: which columns fit a terminal, and how wide each is. */
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
#define FROM_WIDE     UINT_MAX /* fits no terminal: only where lines may have any length */

struct table_column {
	const char *name;    /* of --columns=, as csv and json call it */
	const char *heading; /* NULL: the end of the array */
	unsigned least;      /* columns wide, at least */
	/* The narrowest terminal that has it, of a trace without states and of one with them. */
	unsigned from[2];
	bool left;                     /* aligned on the left */
	bool (*when)(const void *ctx); /* NULL: always */
	/* Text of a row, safe to print; words in it that may be cut have so many columns
	 * (TABLE_SHORT to TABLE_LONG; 0: any number). */
	void (*cell)(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]);
	enum text_style (*style)(const void *ctx, size_t row); /* NULL: none */
	const char
		*group; /* heading above it and above neighbours with an equal group; NULL: none */
};

struct table_options {
	unsigned width;      /* of the terminal; 0: no limit, all columns */
	bool states, colour; /* of the trace; is it a terminal that shows styles */
	const char *columns; /* names between commas, instead of those that fit; NULL: none given */
	size_t names;        /* columns that the widest name takes, or 0 */
};

struct table {
	struct table_options opt;
	const void *ctx; /* of the cells */
	const struct table_column *columns[TABLE_COLUMNS];
	unsigned widths[TABLE_COLUMNS];
	size_t n;
	unsigned words; /* columns that cells give them */
};

/* Chooses among `all` for the n rows that will be printed (rows NULL: those below n), and leaves
 * room for a name behind them. */
void table_begin(struct table *t, const struct table_options *opt, const struct table_column *all,
		 const void *ctx, const size_t *rows, size_t n);
/* A cell with a name in it, in at most so many columns (0: any number). */
void table_name(char buf[CELL_BYTES], const char *name, unsigned columns);
/* The line over the headings, with the groups. */
void table_groups(const struct table *t, FILE *out);
/* The line over it; `last` stands over the names (NULL: there are none). */
void table_heading(const struct table *t, FILE *out, const char *last);
/* The columns of one row, with two blanks behind them. Returns how many columns of the terminal
 * these take. */
size_t table_row(const struct table *t, FILE *out, size_t row);

#endif

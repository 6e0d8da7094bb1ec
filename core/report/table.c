// SPDX-License-Identifier: BSD-2-Clause
#include "report/table.h"

#include <string.h>

#include "base/text_name.h"
#include "base/text_wrap.h"
#include "report/column_names.h"

#define NAME_ROOM  22  /* columns that names keep where there is a column less to show */
#define WIDE       120 /* terminals that cut no words */
#define WORDS_STEP 4

static unsigned from(const struct table *t, const struct table_column *c)
{
	return c->from[t->opt.states];
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool wanted(const struct table *t, const struct table_column *c)
{
	if (c->when && !c->when(t->ctx))
		return false;
	if (t->opt.columns)
		return columns_have(t->opt.columns, c->name);
	return !t->opt.width || from(t, c) <= t->opt.width;
}

static void measure(struct table *t, const size_t *rows, size_t n)
{
	char cell[CELL_BYTES];

	for (size_t i = 0; i < t->n; i++) {
		const struct table_column *c = t->columns[i];
		size_t widest = strlen(c->heading);

		widest = widest < c->least ? c->least : widest;
		for (size_t k = 0; k < n; k++) {
			c->cell(t->ctx, rows ? rows[k] : k, t->words, cell);
			size_t w = text_columns(cell);

			widest = w > widest ? w : widest;
		}
		t->widths[i] = (unsigned)widest;
	}
}

static bool begins_group(const struct table *t, size_t i)
{
	return !i || t->columns[i]->group != t->columns[i - 1]->group;
}

/* Blanks before the column i. */
static unsigned gap(const struct table *t, size_t i)
{
	if (!i)
		return 0;
	return t->columns[i]->group ? 1 + begins_group(t, i) : 1 + t->columns[i]->left;
}

/* Columns of the terminal before the name. */
static size_t all_widths(const struct table *t)
{
	size_t n = 2;

	for (size_t i = 0; i < t->n; i++)
		n += gap(t, i) + t->widths[i];
	return n;
}

/* Takes out the column that the widest terminals have, the last of these. */
static void drop(struct table *t)
{
	size_t worst = 0;

	for (size_t i = 1; i < t->n; i++)
		if (from(t, t->columns[i]) >= from(t, t->columns[worst]))
			worst = i;
	t->n--;
	memmove(&t->columns[worst], &t->columns[worst + 1], (t->n - worst) * sizeof(*t->columns));
	memmove(&t->widths[worst], &t->widths[worst + 1], (t->n - worst) * sizeof(*t->widths));
}

/* Cuts words no more than the names behind them need. */
static void lengthen(struct table *t, const size_t *rows, size_t n)
{
	for (t->words = TABLE_LONG; t->words >= TABLE_SHORT; t->words -= WORDS_STEP) {
		measure(t, rows, n);
		if (all_widths(t) + t->opt.names <= t->opt.width)
			return;
	}
	t->words = TABLE_SHORT;
	measure(t, rows, n);
}

void table_begin(struct table *t, const struct table_options *opt, const struct table_column *all,
		 const void *ctx, const size_t *rows, size_t n)
{
	*t = (struct table){ .opt = *opt, .ctx = ctx };
	for (const struct table_column *c = all; c->heading && t->n < TABLE_COLUMNS; c++)
		if (wanted(t, c))
			t->columns[t->n++] = c;
	t->words = !opt->width ? 0 : opt->width < WIDE ? TABLE_SHORT : TABLE_LONG;
	measure(t, rows, n);
	while (!opt->columns && opt->width && t->n > 1 && all_widths(t) + NAME_ROOM > opt->width)
		drop(t);
	if (t->words == TABLE_SHORT && opt->names)
		lengthen(t, rows, n);
}

static void aligned(FILE *out, const char *s, unsigned width, bool left)
{
	const size_t n = text_columns(s);
	const int blanks = n < width ? (int)(width - n) : 0;

	if (left)
		fprintf(out, "%s%*s", s, blanks, "");
	else
		fprintf(out, "%*s%s", blanks, "", s);
}

void table_name(char buf[CELL_BYTES], const char *name, unsigned columns)
{
	FILE *out = fmemopen(buf, CELL_BYTES, "w");

	buf[0] = '\0';
	if (!out)
		return;
	text_name(out, name, (int)columns);
	fclose(out);
}

void table_groups(const struct table *t, FILE *out)
{
	size_t blanks = 0;

	text_style(out, t->opt.colour ? STYLE_BOLD : STYLE_NONE);
	for (size_t i = 0; i < t->n; i++) {
		blanks += gap(t, i);
		if (begins_group(t, i) && t->columns[i]->group) {
			fprintf(out, "%*s%s", (int)blanks, "", t->columns[i]->group);
			blanks = t->widths[i];
			blanks -= least(blanks, text_columns(t->columns[i]->group));
		} else {
			blanks += t->widths[i];
		}
	}
	text_style(out, t->opt.colour ? STYLE_END : STYLE_NONE);
	fputc('\n', out);
}

void table_heading(const struct table *t, FILE *out, const char *last)
{
	text_style(out, t->opt.colour ? STYLE_BOLD : STYLE_NONE);
	for (size_t i = 0; i < t->n; i++) {
		fprintf(out, "%*s", (int)gap(t, i), "");
		aligned(out, t->columns[i]->heading, t->widths[i], t->columns[i]->left);
	}
	if (last)
		fprintf(out, "  %s", last);
	text_style(out, t->opt.colour ? STYLE_END : STYLE_NONE);
	fputc('\n', out);
}

size_t table_row(const struct table *t, FILE *out, size_t row)
{
	char cell[CELL_BYTES];

	for (size_t i = 0; i < t->n; i++) {
		const struct table_column *c = t->columns[i];
		enum text_style style = t->opt.colour && c->style ? c->style(t->ctx, row)
								  : STYLE_NONE;

		fprintf(out, "%*s", (int)gap(t, i), "");
		c->cell(t->ctx, row, t->words, cell);
		text_style(out, style);
		aligned(out, cell, t->widths[i], c->left);
		text_style(out, style != STYLE_NONE ? STYLE_END : STYLE_NONE);
	}
	fputs("  ", out);
	return all_widths(t);
}

// SPDX-License-Identifier: BSD-2-Clause
/* Names of --columns=. */
#include "report/columns.h"

#include <string.h>

#include "analysis/stat_columns.h"
#include "report/column_names.h"

/* Columns of csv and json besides stat_columns. */
static const char *const more[] = { "all_calls",           "all_total_ns",
				    "all_self_ns",         "waits",
				    "released_ns",         "released_callees",
				    "released_sampled_ns", NULL };

static bool of_text(const char *word, size_t n)
{
	for (const struct table_column *c = text_function_columns(); c->heading; c++)
		if (column_is(word, n, c->name))
			return true;
	return false;
}

static bool of_data(const char *word, size_t n)
{
	for (const struct stat_column *c = stat_columns; c->name; c++)
		if (column_is(word, n, c->name))
			return true;
	for (size_t i = 0; more[i]; i++)
		if (column_is(word, n, more[i]))
			return true;
	return false;
}

const char *columns_unknown(const char *list, bool text, size_t *n)
{
	do {
		*n = strcspn(list, ",");
		if (!*n || !(text ? of_text : of_data)(list, *n))
			return list;
		list += *n;
	} while (*list++);
	return NULL;
}

void columns_print(FILE *out, bool text)
{
	const char *before = "";

	if (text)
		for (const struct table_column *c = text_function_columns(); c->heading; c++) {
			fprintf(out, "%s%s", before, c->name);
			before = ", ";
		}
	else
		for (const struct stat_column *c = stat_columns; c->name; c++) {
			fprintf(out, "%s%s", before, c->name);
			before = ", ";
		}
	for (size_t i = 0; !text && more[i]; i++)
		fprintf(out, ", %s", more[i]);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of --columns= for csv and json, and for the table of functions as text. */
#ifndef GOTRACE_COLUMNS_H
#define GOTRACE_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/table.h"

/* Returns the first word of the list that is no name, *n bytes of it; NULL when all are names. */
const char *columns_unknown(const char *list, bool text, size_t *n);
/* Prints all names, for a message. */
void columns_print(FILE *out, bool text);
/* text_functions.c: returns the columns in order; the last one has no heading. */
const struct table_column *text_function_columns(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of --columns=: those of csv and json, and of the table of functions as text. */
#ifndef GOTRACE_COLUMNS_H
#define GOTRACE_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/table.h"

/* The first word of the list that is no name, *n bytes of it; NULL: all are. */
const char *columns_unknown(const char *list, bool text, size_t *n);
/* All names, for a message. */
void columns_print(FILE *out, bool text);
/* text_functions.c: in order; the last has no heading. */
const struct table_column *text_function_columns(void);

#endif

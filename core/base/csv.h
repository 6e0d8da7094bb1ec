/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of CSV: RFC 4180, quoted only where needed; lines end in "\n", as those of other tools
 * here. */
#ifndef GOTRACE_CSV_H
#define GOTRACE_CSV_H

#include <stdio.h>

/* What makes quotes needed. */
#define CSV_SPECIAL ",\"\r\n"

/* A whole field. */
void csv_field(FILE *out, const char *s);
/* A part of a field whose quotes the caller writes. Where the field's parts are separated by `sep`,
 * one inside a part becomes ','; 0: there is none. */
void csv_part(FILE *out, const char *s, char sep);

#endif

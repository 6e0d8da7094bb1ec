/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of CSV: RFC 4180, quoted only where needed; lines end in "\n", as those of other tools
 * here. Control characters are written as in text (text_control). A field that begins with = + - or
 * @ gets a ' before it: a spreadsheet would take it for a formula, and no name in Go begins so.
 */
#ifndef GOTRACE_CSV_H
#define GOTRACE_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* What makes quotes needed. */
#define CSV_SPECIAL ",\""

/* A whole field. */
void csv_field(FILE *out, const char *s);
/* What comes before the parts of a field, the first of which is `first`; the caller writes the
 * closing quote. */
void csv_begin(FILE *out, const char *first, bool quote);
/* A part of a field. Where the field's parts are separated by `sep`,
 * one inside a part becomes ','; 0: there is none. */
void csv_part(FILE *out, const char *s, char sep);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes fields of CSV by RFC 4180, quoted only where needed. Lines end in "\n", as in other tools
 * here. Control characters are written as in text (text_control). A field that begins with = + - or
 * @ gets a ' before it, because a spreadsheet would take it for a formula. No name in Go begins so.
 */
#ifndef GOTRACE_CSV_H
#define GOTRACE_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* The characters that need quotes. */
#define CSV_SPECIAL ",\""

/* Writes a whole field. */
void csv_field(FILE *out, const char *s);
/* Begins a field of several parts, the first of which is `first`. The caller writes the closing
 * quote. */
void csv_begin(FILE *out, const char *first, bool quote);
/* Writes a part of a field. Where `sep` separates the parts, a `sep` inside a part becomes ','; 0
 * where there is none. */
void csv_part(FILE *out, const char *s, char sep);

#endif

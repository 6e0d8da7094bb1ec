/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes sentences on a terminal, with lines broken between words. */
#ifndef GOTRACE_TEXT_WRAP_H
#define GOTRACE_TEXT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Returns the columns that s takes on a terminal, one for each character. */
size_t text_columns(const char *s);
/*
 * Writes s as text_safe does, with a newline at its end, in lines of at most `width` columns; 0 for
 * one line. Lines after the first begin with `hanging` blanks. A word that is wider than a line
 * stands alone. Returns the number of lines.
 */
size_t text_wrap(FILE *out, const char *s, unsigned width, unsigned hanging);
/* Wraps each line of a text. It overwrites the text's newlines. */
void text_wrap_lines(FILE *out, char *text, unsigned width, unsigned hanging);

#endif

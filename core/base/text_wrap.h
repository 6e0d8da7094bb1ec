/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences on a terminal, their lines broken between words. */
#ifndef GOTRACE_TEXT_WRAP_H
#define GOTRACE_TEXT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Columns that s takes on a terminal: one for each character. */
size_t text_columns(const char *s);
/*
 * Writes s as text_safe does, with a newline at its end, in lines of at most `width` columns; 0: in
 * one line. Lines behind the first begin with `hanging` blanks. A word that is wider than a line
 * stands alone. Returns how many lines that are.
 */
size_t text_wrap(FILE *out, const char *s, unsigned width, unsigned hanging);
/* Wraps each line of a text. It overwrites the text's newlines. */
void text_wrap_lines(FILE *out, char *text, unsigned width, unsigned hanging);

#endif

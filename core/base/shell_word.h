/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_SHELL_WORD_H
#define GOTRACE_SHELL_WORD_H

#include <stdio.h>

/* Writes s as one word of a shell's command line, in quotes where it needs them. */
void shell_word(FILE *out, const char *s);

#endif

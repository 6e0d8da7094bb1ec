/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from files (@FILE on the command line) and from GOTRACE_OPTIONS. */
#ifndef GOTRACE_OPTION_FILES_H
#define GOTRACE_OPTION_FILES_H

#include <stddef.h>

struct option_words {
	char **words; /* like argv, NULL after the last; owned */
	/* For each word "FILE:LINE" if it comes from a file, else NULL; owned. */
	char **places;
	int n;
	size_t cap_words, cap_places;
};

/*
 * Inserts words of files and of the environment into a command line. The words of `env`, which is
 * named env_name, come right after argv[0]; env may be NULL. A word @FILE before "--" becomes the
 * words of FILE.
 *
 * Blanks and ends of lines separate words. '...' is literal. In "..." and outside of quotes \ makes
 * the next character literal. # at the beginning of a word makes the rest of the line a comment.
 * Returns 0, or -errno (logged, with file and line). The caller calls option_words_free in either
 * case.
 */
int option_words_expand(struct option_words *w, int argc, char *const *argv, const char *env_name,
			const char *env);
/* Adds the words of a text with the name `name`. Returns 0 or -errno (logged). */
int option_words_parse(struct option_words *w, const char *name, const char *text, int depth);
void option_words_free(struct option_words *w);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from files (@FILE on the command line) and from GOTRACE_OPTIONS. */
#ifndef GOTRACE_OPTION_FILES_H
#define GOTRACE_OPTION_FILES_H

#include <stddef.h>

struct option_words {
	char **words; /* as argv, NULL after the last; owned */
	/* of each: "FILE:LINE" where it comes from a file, else NULL; owned */
	char **places;
	int n;
	size_t cap_words, cap_places;
};

/*
 * Puts what files and the environment have into a command line: words of `env` (NULL: none), named
 * env_name, come right after argv[0]; a word @FILE before "--" becomes the words of FILE.
 *
 * Words are separated by blanks and ends of lines. '...' is taken as it is; in "..." and outside
 * of quotes \ takes the next character as it is; # at the beginning of a word makes the rest of
 * the line a comment. 0, or -errno (logged, with file and line); option_words_free in either case.
 */
int option_words_expand(struct option_words *w, int argc, char *const *argv, const char *env_name,
			const char *env);
/* Adds the words of a text that is called `name`. 0 or -errno (logged). */
int option_words_parse(struct option_words *w, const char *name, const char *text, int depth);
void option_words_free(struct option_words *w);

#endif

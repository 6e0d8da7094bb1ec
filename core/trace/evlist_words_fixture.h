/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of a text event list as words. Private to evlist_fixture.c. */
#ifndef GOTRACE_EVLIST_WORDS_FIXTURE_H
#define GOTRACE_EVLIST_WORDS_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct word {
	char *s;     /* points into the line */
	bool quoted; /* began with a quote: "-" is a name then */
};

/* Splits `line` in place at blanks, ends it at '#', undoes quotes, also within
 * a word (file="a b"). NULL, or what is wrong with the line. */
const char *words_split(char *line, struct word *w, size_t max, size_t *n);

bool word_is_blank(char c);

/* A whole word as a number, decimal or 0x, of at most `max`. False when it is none. */
bool word_u64(const char *s, uint64_t max, uint64_t *n);
bool word_u32(const char *s, uint32_t *n);

#endif

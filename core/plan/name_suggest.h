/* SPDX-License-Identifier: BSD-2-Clause */
/* Names near one that matched nothing: what the user may have meant. */
#ifndef GOTRACE_NAME_SUGGEST_H
#define GOTRACE_NAME_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "binary/gobin.h"

#define NAME_SUGGEST_MAX 4

/* The nearest found so far, nearest first, each once. Start with n = 0. */
struct name_suggestions {
	char *name[NAME_SUGGEST_MAX];
	unsigned far[NAME_SUGGEST_MAX];
	unsigned n;
};

/* Looks through b's functions, or their packages, for names near `pattern`. */
void name_suggest_add(struct name_suggestions *names, const char *pattern, bool packages,
		      const struct gobin *b);

/* "a, b, c" into `out`; false when there is none. */
bool name_suggest_list(const struct name_suggestions *names, char *out, size_t size);
void name_suggest_free(struct name_suggestions *names);

/* How far `candidate` is from `pattern`: 0 the same, NAME_SUGGEST_TOO_FAR not worth a mention. */
#define NAME_SUGGEST_TOO_FAR 100
unsigned name_suggest_distance(const char *pattern, const char *candidate);

#endif

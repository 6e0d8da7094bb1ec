/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggests names similar to a pattern that matched nothing. */
#ifndef GOTRACE_NAME_SUGGEST_H
#define GOTRACE_NAME_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "binary/gobin.h"

#define NAME_SUGGEST_MAX 4

/* The most similar names found so far, the best first, each once. Start with n = 0. */
struct name_suggestions {
	char *name[NAME_SUGGEST_MAX];
	unsigned far[NAME_SUGGEST_MAX];
	unsigned n;
};

/* Adds names similar to `pattern` of b's functions, or of their packages. */
void name_suggest_add(struct name_suggestions *names, const char *pattern, bool packages,
		      const struct gobin *b);

/* Writes "a, b, c" into `out`. Returns false when there is no name. */
bool name_suggest_list(const struct name_suggestions *names, char *out, size_t size);
void name_suggest_free(struct name_suggestions *names);

/* Returns how different `candidate` is from `pattern`. 0 means equal, NAME_SUGGEST_TOO_FAR not
 * worth a mention. */
#define NAME_SUGGEST_TOO_FAR 100
unsigned name_suggest_distance(const char *pattern, const char *candidate);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names near one that matched nothing: what the user may have meant. */
#ifndef GOTRACE_NEAR_H
#define GOTRACE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "binary/gobin.h"

#define NEAR_MAX 4

/* The nearest found so far, nearest first, each once. Start with n = 0. */
struct near_names {
	char *name[NEAR_MAX];
	unsigned far[NEAR_MAX];
	unsigned n;
};

/* Looks through b's functions, or their packages, for names near `pattern`. */
void near_add_matches(struct near_names *names, const char *pattern, bool packages,
		      const struct gobin *b);

/* "a, b, c" into `out`; false when there is none. */
bool near_list(const struct near_names *names, char *out, size_t size);
void near_free(struct near_names *names);

/* How far `candidate` is from `pattern`: 0 the same, NEAR_NOT not worth a mention. */
#define NEAR_NOT 100
unsigned near_distance(const char *pattern, const char *candidate);

#endif

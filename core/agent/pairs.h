/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and values, each name once. */
#ifndef GOTRACE_AGENT_PAIRS_H
#define GOTRACE_AGENT_PAIRS_H

#include <stddef.h>

struct pair {
	char *name, *value;
};
struct pairs {
	struct pair *at;
	size_t n, cap;
};

/* Copies the name and the value. If the name is there, it keeps its value. value NULL: adds no
 * pair. Returns 0 or -ENOMEM. */
int pairs_add(struct pairs *p, const char *name, const char *value);
int pairs_add_all(struct pairs *to, const struct pairs *from);
/* Returns the value of a name, or NULL. */
const char *pairs_get(const struct pairs *p, const char *name);
void pairs_sort(struct pairs *p); /* by name */
/* Returns the pairs as an object of JSON. The caller frees it. NULL: no memory. */
char *pairs_json(const struct pairs *p);
/* Adds the pairs of such an object. Returns 0, -EINVAL or -ENOMEM. */
int pairs_from_json(struct pairs *p, const char *json);
void pairs_free(struct pairs *p);

#endif

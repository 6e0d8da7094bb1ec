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

/* Copies them; a name that is there keeps its value. value NULL: nothing is added. 0 or -ENOMEM. */
int pairs_add(struct pairs *p, const char *name, const char *value);
int pairs_add_all(struct pairs *to, const struct pairs *from);
/* NULL: there is none. */
const char *pairs_get(const struct pairs *p, const char *name);
void pairs_sort(struct pairs *p); /* by name */
/* As an object of JSON, to be freed; NULL: no memory. */
char *pairs_json(const struct pairs *p);
/* Adds those of such an object. 0, -EINVAL, -ENOMEM. */
int pairs_from_json(struct pairs *p, const char *json);
void pairs_free(struct pairs *p);

#endif

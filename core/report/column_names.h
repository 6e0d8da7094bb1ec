/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in the list of --columns=. */
#ifndef GOTRACE_COLUMN_NAMES_H
#define GOTRACE_COLUMN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the word of n bytes is that name. "self" means self_ns, too. */
bool column_is(const char *word, size_t n, const char *name);
/* Returns whether a list such as "self_ns,calls" has the name. NULL has all names. */
bool columns_have(const char *list, const char *name);

#endif

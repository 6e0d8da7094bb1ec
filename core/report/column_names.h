/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in the list of --columns=. */
#ifndef GOTRACE_COLUMN_NAMES_H
#define GOTRACE_COLUMN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Is the word of n bytes that name? "self" is self_ns, too. */
bool column_is(const char *word, size_t n, const char *name);
/* Is the name in the list "self_ns,calls"? NULL has all. */
bool columns_have(const char *list, const char *name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_GLOB_H
#define GOTRACE_GLOB_H

#include <stdbool.h>

/* Returns whether all of `s` matches `pattern`. Only '*' (any run of bytes, also across '/' and
 * '.') and '?' (any one byte) are special, because Go names are full of brackets. Linear in
 * practice, without recursion. */
bool glob_match(const char *pattern, const char *s);

#endif

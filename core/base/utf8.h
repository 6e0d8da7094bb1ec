/* SPDX-License-Identifier: BSD-2-Clause */
/* Names are the bytes of the binary. Most formats need UTF-8. */
#ifndef GOTRACE_UTF8_H
#define GOTRACE_UTF8_H

#include <stdbool.h>

/* Returns the bytes of the well-formed UTF-8 sequence at s (RFC 3629), 0 when there is none. s ends
 * with a NUL. */
int utf8_len(const char *s);
/* Returns a copy of s with U+FFFD for each bad byte, to be freed; NULL and ENOMEM. */
char *utf8_copy(const char *s);

#endif

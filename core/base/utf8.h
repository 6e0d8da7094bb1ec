/* SPDX-License-Identifier: BSD-2-Clause */
/* Names are bytes as the binary has them; most formats want UTF-8. */
#ifndef GOTRACE_UTF8_H
#define GOTRACE_UTF8_H

#include <stdbool.h>

/* Bytes of the well-formed UTF-8 sequence at s (RFC 3629), 0 when it is none. s ends with a NUL. */
int utf8_len(const char *s);
/* A copy of s with each bad byte as U+FFFD, to be freed; NULL and ENOMEM. */
char *utf8_copy(const char *s);

#endif

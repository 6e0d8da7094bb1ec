// SPDX-License-Identifier: BSD-2-Clause
#include "base/shell_word.h"

#include <string.h>

void shell_word(FILE *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:-";

	if (*s && !s[strspn(s, plain)]) {
		fputs(s, out);
		return;
	}
	fputc('\'', out);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			fputc(*s, out);
	fputc('\'', out);
}

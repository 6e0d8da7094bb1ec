// SPDX-License-Identifier: BSD-2-Clause
#include "base/csv.h"

#include <string.h>

#include "base/text_format.h"

void csv_part(FILE *out, const char *s, char sep)
{
	const char *plain = s; /* what needs no change up to s is written at once */
	bool unsafe;

	for (int n; *s; s += n) {
		n = text_char(s, &unsafe);
		if (!unsafe && *s != '"' && !(sep && *s == sep))
			continue;
		fwrite(plain, 1, (size_t)(s - plain), out);
		plain = s + n;
		if (unsafe)
			text_escape(out, s, n);
		else
			fputs(*s == '"' ? "\"\"" : ",", out);
	}
	fwrite(plain, 1, (size_t)(s - plain), out);
}

void csv_begin(FILE *out, const char *first, bool quote)
{
	if (quote)
		fputc('"', out);
	if (*first && strchr("=+-@", *first))
		fputc('\'', out);
}

void csv_field(FILE *out, const char *s)
{
	bool quote = strpbrk(s, CSV_SPECIAL);

	csv_begin(out, s, quote);
	csv_part(out, s, 0);
	if (quote)
		fputc('"', out);
}

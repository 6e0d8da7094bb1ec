// SPDX-License-Identifier: BSD-2-Clause
#include "base/csv.h"

#include <string.h>

#include "base/text_format.h"

void csv_part(FILE *out, const char *s, char sep)
{
	bool unsafe;

	for (int n; *s; s += n) {
		n = text_char(s, &unsafe);
		if (unsafe)
			fprintf(out, "\\x%02x", (unsigned char)s[n - 1]);
		else if (*s == '"')
			fputs("\"\"", out);
		else if (sep && *s == sep)
			fputc(',', out);
		else
			fwrite(s, 1, (size_t)n, out);
	}
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

// SPDX-License-Identifier: BSD-2-Clause
#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

void csv_part(FILE *out, const char *s, char sep)
{
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s == sep ? ',' : *s, out);
	}
}

void csv_field(FILE *out, const char *s)
{
	bool quote = strpbrk(s, CSV_SPECIAL);

	if (quote)
		fputc('"', out);
	csv_part(out, s, 0);
	if (quote)
		fputc('"', out);
}

// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "base/text_format.h"
#include "base/text_wrap.h"

#define HANGING_SENTENCE 2
#define HANGING_ROW      12 /* below what it says, not below its name */

size_t answer_print(const char *said, unsigned width, bool colour, FILE *out)
{
	char *text = strdup(said);
	size_t lines = 0;

	for (char *s = text, *end; s && (end = strchr(s, '\n')); s = end + 1) {
		const bool first = s == text;

		*end = '\0';
		text_style(out, colour && first ? STYLE_BOLD : STYLE_NONE);
		lines += text_wrap(out, s, width, first ? HANGING_SENTENCE : HANGING_ROW);
		text_style(out, colour && first ? STYLE_END : STYLE_NONE);
	}
	free(text);
	return lines;
}

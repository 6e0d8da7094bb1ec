// SPDX-License-Identifier: BSD-2-Clause
/* The answer before the table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "report/text.h"

#define HANGING_SENTENCE 2
#define HANGING_ROW      12 /* below what it says, not below its name */

int text_answer(const struct report *rep, FILE *out)
{
	if (rep->none_sure) /* a number that could be wrong is no answer */
		return 0;
	char *text = strdup(rep->said);

	if (!text) {
		log_no_memory("no memory for the answer");
		return -ENOMEM;
	}
	for (char *s = text, *end; (end = strchr(s, '\n')); s = end + 1) {
		*end = '\0';
		text_style(out, rep->opt->colour && s == text ? STYLE_BOLD : STYLE_NONE);
		text_wrap(out, s, rep->opt->width, s == text ? HANGING_SENTENCE : HANGING_ROW);
		text_style(out, rep->opt->colour && s == text ? STYLE_END : STYLE_NONE);
	}
	if (*text)
		fputc('\n', out);
	free(text);
	return 0;
}

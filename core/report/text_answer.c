// SPDX-License-Identifier: BSD-2-Clause
/* The answer before the table, its lines broken between words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "base/log.h"
#include "base/text_format.h"
#include "report/text.h"

#define HANGING 12 /* columns before the second line of a row */

/* How much of the n bytes at s stands on a line of `room` columns: up to a blank. */
static size_t fits(const char *s, size_t n, size_t room)
{
	size_t at = n;

	if (n <= room)
		return n;
	for (size_t i = 1; i < n && i <= room; i++)
		at = s[i] == ' ' && s[i - 1] != ' ' ? i : at;
	if (at == n) /* a name that is too long stands alone */
		for (at = room; at < n && s[at] != ' ';)
			at++;
	return at;
}

static void wrapped(const struct report *rep, FILE *out, const char *s, size_t n, bool bold)
{
	size_t indent = 0, width = rep->opt->width ? rep->opt->width : n + HANGING;

	do {
		size_t part = fits(s, n, width > indent + HANGING ? width - indent : HANGING);

		if (bold)
			text_heading(rep->opt->colour, out, "%*s%.*s", (int)indent, "", (int)part,
				     s);
		else
			fprintf(out, "%*s%.*s\n", (int)indent, "", (int)part, s);
		while (part < n && s[part] == ' ')
			part++;
		s += part;
		n -= part;
		indent = bold ? 2 : HANGING;
	} while (n);
}

int text_answer(const struct report *rep, FILE *out)
{
	struct answer a;

	if (rep->none_sure) /* a number that could be wrong is no answer */
		return 0;
	int err = answer_find(&a, &rep->trace);
	char *text = err ? NULL : answer_say(&a, rep->trace.info);

	if (!err && !text) {
		log_no_memory("no memory for the answer");
		err = -ENOMEM;
	}
	for (char *s = text; s && *s;) {
		const size_t n = strcspn(s, "\n");

		wrapped(rep, out, s, n, s == text);
		s += n + 1;
	}
	if (text && *text)
		fputc('\n', out);
	free(text);
	return err;
}

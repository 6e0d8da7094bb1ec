// SPDX-License-Identifier: BSD-2-Clause
#include "trace/evlist_words_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool word_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes one escape at *from (after the backslash); false when there is none such. */
static bool unescape(char **from, char *to)
{
	char c = *(*from)++;

	if (c == 'n' || c == 't') {
		*to = c == 'n' ? '\n' : '\t';
		return true;
	}
	if (c == '"' || c == '\\') {
		*to = c;
		return true;
	}
	if (c != 'x')
		return false;
	int hi = hex_digit((*from)[0]), lo = hi < 0 ? -1 : hex_digit((*from)[1]);
	if (lo < 0 || hi + lo == 0) /* \x00 would end the string */
		return false;
	*to = (char)(hi << 4 | lo);
	*from += 2;
	return true;
}

const char *words_split(char *line, struct word *w, size_t max, size_t *n)
{
	for (*n = 0;;) {
		while (word_is_blank(*line))
			line++;
		if (!*line || *line == '#')
			return NULL;
		if (*n == max)
			return "too many words";
		w[*n] = (struct word){ .s = line, .quoted = *line == '"' };
		++*n;
		char *to = line;
		bool in_quotes = false;
		while (*line && (in_quotes || (!word_is_blank(*line) && *line != '#'))) {
			char c = *line++;
			if (c == '"') {
				in_quotes = !in_quotes;
				continue;
			}
			if (in_quotes && c == '\\' && !unescape(&line, &c))
				return "unknown escape in quotes (known: \\\" \\\\ \\n \\t \\xHH)";
			*to++ = c;
		}
		if (in_quotes)
			return "a quote is not closed";
		bool more = word_is_blank(*line);
		*to = '\0'; /* may overwrite what `line` points at */
		if (!more)
			return NULL;
		line++;
	}
}

bool word_u64(const char *s, uint64_t max, uint64_t *n)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*n = strtoull(s, &end, s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10);
	return !errno && !*end && *n <= max;
}

bool word_u32(const char *s, uint32_t *n)
{
	uint64_t v;

	if (!word_u64(s, UINT32_MAX, &v))
		return false;
	*n = (uint32_t)v;
	return true;
}

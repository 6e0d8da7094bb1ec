// SPDX-License-Identifier: BSD-2-Clause
#include "base/text_wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_format.h"

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t text_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += begins_character(*s);
	return n;
}

/* Bytes of s that stand on a line of `room` columns: up to a blank behind a word. */
static size_t fits(const char *s, size_t room)
{
	size_t at = 0, n = 0;
	bool words = false;

	for (size_t i = 0; s[i]; i++) {
		if (s[i] == ' ' && words && s[i - 1] != ' ' && (n <= room || !at))
			at = i;
		if (n > room && at)
			return at;
		words |= s[i] != ' ';
		n += begins_character(s[i]);
	}
	return n <= room || !at ? strlen(s) : at;
}

size_t text_wrap(FILE *out, const char *s, unsigned width, unsigned hanging)
{
	char *text = NULL;
	size_t size;
	FILE *f = width ? open_memstream(&text, &size) : NULL;

	if (f) {
		text_safe(f, s);
		text_stream_close(f, &text);
	}
	if (!text) { /* no limit, or no memory to keep it */
		text_safe(out, s);
		fputc('\n', out);
		return 1;
	}
	unsigned indent = 0;
	size_t lines = 0;

	for (const char *at = text; *at || at == text; indent = hanging < width ? hanging : 0) {
		const size_t n = fits(at, width - indent);

		fprintf(out, "%*s%.*s\n", (int)indent, "", (int)n, at);
		lines++;
		if (!n)
			break;
		at += n;
		at += strspn(at, " ");
	}
	free(text);
	return lines;
}

void text_wrap_lines(FILE *out, char *text, unsigned width, unsigned hanging)
{
	for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		text_wrap(out, at, width, hanging);
	}
}

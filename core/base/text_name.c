// SPDX-License-Identifier: BSD-2-Clause
#include "base/text_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_format.h"
#include "base/text_wrap.h"

#define GAP ".."

/* The text after `n` columns. */
static const char *skip(const char *s, size_t n)
{
	for (; n && *s; n--)
		do
			s++;
		while (((unsigned char)*s & 0xc0) == 0x80);
	return s;
}

/* Is it the "v2" of a path such as example.com/name/v2, which says nothing by itself? */
static int is_version(const char *s)
{
	size_t digits = *s == 'v' ? strspn(s + 1, "0123456789") : 0;

	return digits && s[digits + 1] == '.';
}

/* Takes the folders out of each path of a package in s, where it is. */
static void drop_folders(char *s)
{
	char *to = s;

	for (const char *word = s; *word;) {
		size_t n = strcspn(word, " ([*,;{");
		const char *from = word, *before = word;

		for (size_t i = 0; i < n; i++)
			if (word[i] == '/') {
				before = from;
				from = word + i + 1;
			}
		if (is_version(from))
			from = before;
		n += word[n] != '\0'; /* what ends the word */
		memmove(to, from, (size_t)(word + n - from));
		to += word + n - from;
		word += n;
	}
	*to = '\0';
}

#define LEAST_ROOM 16 /* on a very narrow terminal lines are wrapped rather than unreadable */

int text_room(unsigned width, size_t used)
{
	if (!width)
		return 0;
	return width >= used + LEAST_ROOM ? (int)(width - used) : LEAST_ROOM;
}

void text_name(FILE *out, const char *name, int room)
{
	char *text = NULL;
	size_t size, most = room > 0 ? (size_t)room : 0;
	FILE *f = most ? open_memstream(&text, &size) : NULL;

	if (f) {
		text_safe(f, name);
		text_stream_close(f, &text);
	}
	if (!text) { /* no limit, or no memory to keep it */
		text_safe(out, name);
		return;
	}
	if (text_columns(text) > most)
		drop_folders(text);
	size_t n = text_columns(text), gap = strlen(GAP);

	if (n <= most || most <= gap) {
		fputs(text, out);
	} else {
		/* More of the end: a method's name says more than its package's. */
		size_t head = (most - gap) / 3, tail = most - gap - head;

		fwrite(text, 1, (size_t)(skip(text, head) - text), out);
		fputs(GAP, out);
		fputs(skip(text, n - tail), out);
	}
	free(text);
}

/* Bytes of the package's path and the dot behind it; 0: there is none. */
static size_t package_of(const char *name)
{
	const size_t n = strcspn(name, " ([*,;{");
	size_t from = 0;

	for (size_t i = 0; i < n; i++)
		from = name[i] == '/' ? i + 1 : from;
	const char *dot = memchr(name + from, '.', strlen(name + from));

	return dot ? (size_t)(dot - name) + 1 : 0;
}

void text_func_name(FILE *out, bool colour, const char *name, int room)
{
	char *text = NULL;
	size_t size;
	FILE *f = colour ? open_memstream(&text, &size) : NULL;

	if (f) {
		text_name(f, name, room);
		text_stream_close(f, &text);
	}
	if (!text) {
		text_name(out, name, room);
		return;
	}
	const size_t n = package_of(text);

	text_style(out, STYLE_DIM);
	fwrite(text, 1, n, out);
	text_style(out, STYLE_END);
	text_style(out, STYLE_BOLD);
	fputs(text + n, out);
	text_style(out, STYLE_END);
	free(text);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "plan/name_suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary/goname.h"

/* Edit distance of two words, ignoring case; stops counting past `limit`. */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned row[64];

	if (n >= 63 || m >= 63 || n > m + limit || m > n + limit)
		return limit + 1;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			unsigned up = row[j];
			unsigned same = tolower((unsigned char)a[i - 1]) ==
					tolower((unsigned char)b[j - 1]);
			unsigned best = diagonal + !same;
			best = up + 1 < best ? up + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = up;
			row[j] = best;
		}
	}
	return row[m];
}

/* The part of a path or name that a typo is likely in: after the last '/' or '.', without
 * wildcards. */
static void last_word(const char *s, char *out, size_t size)
{
	const char *from = s;
	size_t n = 0;

	for (const char *p = s; *p; p++)
		if ((*p == '/' || *p == '.') && p[1])
			from = p + 1;
	for (; *from && n + 1 < size; from++)
		if (!strchr("*?()", *from))
			out[n++] = *from;
	out[n] = '\0';
}

unsigned name_suggest_distance(const char *pattern, const char *candidate)
{
	char asked[64], last[64];
	unsigned whole = distance(pattern, candidate, 3);

	if (whole <= 3)
		return whole;
	last_word(pattern, asked, sizeof(asked));
	last_word(candidate, last, sizeof(last));
	unsigned word = distance(asked, last, 2);
	if (word <= 2 && word < strlen(asked))
		return 4 + word;
	return strlen(asked) > 2 && strcasestr(last, asked) ? 8 : NAME_SUGGEST_TOO_FAR;
}

static void add(struct name_suggestions *names, const char *name, unsigned far)
{
	unsigned at = names->n;

	for (unsigned i = 0; i < names->n; i++)
		if (strcmp(names->name[i], name) == 0)
			return;
	while (at > 0 && names->far[at - 1] > far)
		at--;
	char *copy = far >= NAME_SUGGEST_TOO_FAR || at >= NAME_SUGGEST_MAX ? NULL : strdup(name);
	if (!copy)
		return;
	if (names->n == NAME_SUGGEST_MAX)
		free(names->name[--names->n]);
	for (unsigned i = names->n++; i > at; i--) {
		names->name[i] = names->name[i - 1];
		names->far[i] = names->far[i - 1];
	}
	names->name[at] = copy;
	names->far[at] = far;
}

void name_suggest_add(struct name_suggestions *names, const char *pattern, bool packages,
		      const struct gobin *b)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);

	for (size_t i = 0; i < n; i++) {
		struct goname name;
		char *display;

		if (funcs[i].flags & GOFUNC_WRAPPER || goname_split(funcs[i].name, &name))
			continue;
		display = goname_display(funcs[i].name);
		if (packages && *name.package)
			add(names, name.package, name_suggest_distance(pattern, name.package));
		else if (!packages && display)
			add(names, display, name_suggest_distance(pattern, display));
		free(display);
		goname_free(&name);
	}
}

bool name_suggest_list(const struct name_suggestions *names, char *out, size_t size)
{
	size_t n = 0;

	*out = '\0';
	for (unsigned i = 0; i < names->n; i++)
		if (n + strlen(names->name[i]) + 3 < size)
			n += sprintf(out + n, "%s%s", n ? ", " : "", names->name[i]);
	return n > 0;
}

void name_suggest_free(struct name_suggestions *names)
{
	for (unsigned i = 0; i < names->n; i++)
		free(names->name[i]);
	names->n = 0;
}

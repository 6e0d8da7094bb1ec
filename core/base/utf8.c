// SPDX-License-Identifier: BSD-2-Clause
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

int utf8_len(const char *str)
{
	const unsigned char *s = (const unsigned char *)str;

	if (s[0] < 0x80)
		return 1;
	int n = s[0] >= 0xf0 && s[0] <= 0xf4  ? 4
		: s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		: s[0] >= 0xc2 && s[0] < 0xe0 ? 2
					      : 0;
	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

char *utf8_copy(const char *s)
{
	char *copy = malloc(3 * strlen(s) + 1), *to = copy;

	if (!copy)
		return NULL;
	while (*s) {
		int n = utf8_len(s);

		if (n)
			to = mempcpy(to, s, (size_t)n);
		else
			to = mempcpy(to, REPLACEMENT, 3);
		s += n ? n : 1;
	}
	*to = '\0';
	return copy;
}

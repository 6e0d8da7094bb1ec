// SPDX-License-Identifier: BSD-2-Clause
#include "base/glob.h"

#include <stddef.h>

bool glob_match(const char *p, const char *s)
{
	const char *star = NULL, *retry = NULL; /* last '*' and where its run may end next */

	while (*s) {
		if (*p == '*') {
			star = p++;
			retry = s;
		} else if (*p == '?' || *p == *s) {
			p++, s++;
		} else if (star) {
			p = star + 1;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

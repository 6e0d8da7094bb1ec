// SPDX-License-Identifier: BSD-2-Clause
#include "report/column_names.h"

#include <string.h>

bool column_is(const char *word, size_t n, const char *name)
{
	const size_t len = strlen(name);

	return !strncmp(word, name, n) && (n == len || (n + 3 == len && !strcmp(name + n, "_ns")));
}

bool columns_have(const char *list, const char *name)
{
	if (!list)
		return true;
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n && column_is(list, n, name))
			return true;
	}
	return false;
}

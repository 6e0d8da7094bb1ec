// SPDX-License-Identifier: BSD-2-Clause
#include "plan/packages.h"

#include <string.h>

bool package_below(const char *path, const char *package)
{
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	return n && strncmp(package, path, n) == 0 && (package[n] == '\0' || package[n] == '/');
}

/* Bytes of "/v2" at the start of s, where that is a whole part; else 0. */
static size_t version_part(const char *s)
{
	size_t n = strncmp(s, "/v", 2) ? 0 : strspn(s + 2, "0123456789");

	return n && (s[2 + n] == '\0' || s[2 + n] == '/') ? 2 + n : 0;
}

bool package_is(const char *path, const char *package)
{
	for (;; path++, package++) {
		package += version_part(package);
		if (*path != *package)
			return false;
		if (!*path)
			return true;
	}
}

bool package_is_runtime(const char *package)
{
	return strcmp(package, "runtime") == 0 || package_below("internal/runtime", package) ||
	       package_below("runtime/internal", package) || package_below("runtime/cgo", package);
}

bool package_matches(const char *path, const char *package)
{
	if (strcmp(path, "all") == 0)
		return *package && !package_is_runtime(package);
	return package_below(path, package);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages by their paths, as -p takes them. */
#ifndef GOTRACE_PACKAGES_H
#define GOTRACE_PACKAGES_H

#include <stdbool.h>

/* Returns true when `package` is `path` or in a folder below it. */
bool package_below(const char *path, const char *package);

/* Returns true when `package` is `path` or below it. The path "all" means every package but the
 * runtime's own. */
bool package_matches(const char *path, const char *package);

/* Returns true when `package` is `path` in any major version, with parts such as /v2 in it. */
bool package_is(const char *path, const char *package);

/* Returns true when the package is part of the runtime itself. runtime/debug, runtime/pprof and
 * similar packages are not. */
bool package_is_runtime(const char *package);

#endif

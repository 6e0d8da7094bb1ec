/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages by their paths, as -p takes them. */
#ifndef GOTRACE_PACKAGES_H
#define GOTRACE_PACKAGES_H

#include <stdbool.h>

/* Is it the package `path`, or in a folder below it? */
bool package_below(const char *path, const char *package);

/* True when `package` is `path` or below it. "all": every package but the runtime's own. */
bool package_matches(const char *path, const char *package);

/* Is it the package `path`, in whatever major version: with parts such as /v2 in it? */
bool package_is(const char *path, const char *package);

/* Whether the package is part of the runtime itself; runtime/debug, runtime/pprof and the like are
 * not. */
bool package_is_runtime(const char *package);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of functions, as after -f. */
#ifndef GOTRACE_FUNC_GLOB_H
#define GOTRACE_FUNC_GLOB_H

/* Whether a glob means a function; it may be for one instance of a generic or, as F[...], for all.
 * 1, 0 or -ENOMEM. */
int func_glob_hits(const char *glob, const char *display);

#endif

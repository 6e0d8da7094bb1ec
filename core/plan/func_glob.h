/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of functions, written as after -f. */
#ifndef GOTRACE_FUNC_GLOB_H
#define GOTRACE_FUNC_GLOB_H

/* Returns 1 when a glob matches a function's name, 0 when not, or -ENOMEM. A glob may name one
 * instance of a generic function, or all instances as F[...]. */
int func_glob_hits(const char *glob, const char *display);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which shared libraries a program is going to load. */
#ifndef GOTRACE_SHARED_LIBRARIES_H
#define GOTRACE_SHARED_LIBRARIES_H

#include <sys/types.h>

#include "attach/target/user.h"

/*
 * Calls fn for each library that the dynamic linker of `path` finds for it: as ldd does, the linker
 * is executed (--list, ld.so(8)), by u. It has two seconds. Says nothing when it cannot be had: a
 * static program, a script, another C library than glibc.
 */
void shared_libraries_of(const char *path, const struct user *u,
			 void (*fn)(void *ctx, const char *library), void *ctx);

#endif

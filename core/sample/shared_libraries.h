/* SPDX-License-Identifier: BSD-2-Clause */
/* The shared libraries that a program is going to load. */
#ifndef GOTRACE_SHARED_LIBRARIES_H
#define GOTRACE_SHARED_LIBRARIES_H

#include <sys/types.h>

#include "attach/target/user.h"

/*
 * Calls fn for each library that the dynamic linker of `path` finds. Like ldd, it executes the
 * linker (--list, ld.so(8)), as user u. The linker has two seconds. For a static program, a script
 * or another C library than glibc, it calls nothing and reports nothing.
 */
void shared_libraries_of(const char *path, const struct user *u,
			 void (*fn)(void *ctx, const char *library), void *ctx);

#endif

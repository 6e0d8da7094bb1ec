/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions by which programs change the protection of memory. Private to core/binary. */
#ifndef GOTRACE_GOREWRITE_IMPL_H
#define GOTRACE_GOREWRITE_IMPL_H

#include "binary/gobin.h"

/* Returns true for a function that takes a protection as its argument, and calls mprotect. */
bool gorewrite_is_mprotect(const struct gofunc *f);
/* Returns true for a function that makes the system call whose number it gets. */
bool gorewrite_is_syscall(const struct gofunc *f);

#endif

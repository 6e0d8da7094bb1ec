/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO is a shared library that the kernel maps into each process. All processes of one kind
 * have equal ones. */
#ifndef GOTRACE_VDSO_H
#define GOTRACE_VDSO_H

#include <stddef.h>

/* Returns the vDSO of 64-bit programs, an ELF file in memory, which stays. NULL when this process
 * has none. */
const char *vdso_bytes(size_t *n);

#endif

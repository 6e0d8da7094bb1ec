/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO: a shared library that the kernel maps into each process, all of one kind the same. */
#ifndef GOTRACE_VDSO_H
#define GOTRACE_VDSO_H

#include <stddef.h>

/* That of 64-bit programs, an ELF file in memory, which stays. NULL: this process has none. */
const char *vdso_bytes(size_t *n);

#endif

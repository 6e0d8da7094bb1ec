/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the section .gnu_debugdata: an ELF file with symbols, packed by xz (MiniDebugInfo). */
#ifndef GOTRACE_MINI_DEBUG_H
#define GOTRACE_MINI_DEBUG_H

#include <stddef.h>
#include <stdint.h>

/* A file that unpacks to more is not read. Unpacking itself takes at most this much memory. */
#define MINI_DEBUG_BYTES (64u << 20)

/* Unpacks n bytes into *to, which the caller frees, of at most `most` bytes and MINI_DEBUG_BYTES.
 * Returns 0, -EINVAL when they are damaged or no xz file, -E2BIG or -ENOMEM. */
int mini_debug_unpack(const void *packed, size_t n, uint64_t most, void **to, size_t *n_to);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit on memory of ring buffers. */
#ifndef GOTRACE_MEMORY_CAP_H
#define GOTRACE_MEMORY_CAP_H

#include <stdint.h>

/* Returns the most bytes of all ring buffers together: 512 MiB, an eighth of memory, or half of the
 * memory left in gotrace's memory cgroups, whichever is least. */
uint64_t memory_cap_bytes(void);

/* Returns the limit by the cgroups in `proc` (/proc/self/cgroup). `root` is their mount point.
 * UINT64_MAX: no limit is known. */
uint64_t memory_cap_of_process(const char *proc, const char *root);

/* Returns half of the memory left in the cgroup `path` ("/a/b", in the form of /proc/self/cgroup)
 * and in those above it, of version 2 or 1. `root` is the mount point of the hierarchy. UINT64_MAX:
 * no limit is known. */
uint64_t memory_cap_of_cgroup(const char *root, const char *path);

#endif

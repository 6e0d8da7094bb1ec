/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory ring buffers may take. */
#ifndef GOTRACE_MEMORY_CAP_H
#define GOTRACE_MEMORY_CAP_H

#include <stdint.h>

/* What all ring buffers together may take, bytes: 512 MiB, an eighth of memory, or half of what is
 * left in this process's cgroups (v2), whichever is least. */
uint64_t memory_cap_bytes(void);

/* Half of what is left in the cgroup `path` ("/a/b", as in /proc/self/cgroup) and those above it;
 * `root` is where the file system is mounted. UINT64_MAX: no limit is known. */
uint64_t memory_cap_of_cgroup(const char *root, const char *path);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory ring buffers may take. */
#ifndef GOTRACE_MEMORY_CAP_H
#define GOTRACE_MEMORY_CAP_H

#include <stdint.h>

/* What all ring buffers together may take, bytes: 512 MiB, an eighth of memory, or half of what is
 * left in this process's memory cgroups, whichever is least. */
uint64_t memory_cap_bytes(void);

/* As the cgroups say that `proc` (/proc/self/cgroup) lists; `root` is where they are mounted.
 * UINT64_MAX: no limit is known. */
uint64_t memory_cap_of_process(const char *proc, const char *root);

/* Half of what is left in the cgroup `path` ("/a/b", as in /proc/self/cgroup) and those above it,
 * of version 2 or 1; `root` is where the hierarchy is mounted. UINT64_MAX: no limit is known. */
uint64_t memory_cap_of_cgroup(const char *root, const char *path);

#endif

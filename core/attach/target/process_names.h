/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds running processes by name. */
#ifndef GOTRACE_PROCESS_NAMES_H
#define GOTRACE_PROCESS_NAMES_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Fills in the first `most` running processes with that name, in ascending order. The name is comm
 * (proc(5)) or the base name of the executable. gotrace itself and kernel threads are left out.
 * Returns the number of all.
 */
size_t process_names_find(const char *name, pid_t *found, size_t most);
/* Reads /proc/PID/FILE, cut to size - 1 bytes, and adds a zero. Returns its length, or 0 if it has
 * no content. */
size_t process_names_read(pid_t pid, const char *file, char *to, size_t size);

#endif

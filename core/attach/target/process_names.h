/* SPDX-License-Identifier: BSD-2-Clause */
/* Running processes by what they are called. */
#ifndef GOTRACE_PROCESS_NAMES_H
#define GOTRACE_PROCESS_NAMES_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The first `most` running processes that are called `name`, by comm (proc(5)) or by the base name
 * of what they execute, in ascending order. Not this one, nor the kernel's. How many there are.
 */
size_t process_names_find(const char *name, pid_t *found, size_t most);
/* What /proc/PID/FILE holds, cut to size - 1 bytes, with a zero behind it; its length, 0 if there
 * is nothing. */
size_t process_names_read(pid_t pid, const char *file, char *to, size_t size);

#endif

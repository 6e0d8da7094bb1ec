/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds bytes of a running process that another gotrace has moved to its stubs. That gotrace may
 * have been killed since. A uprobe there would crash the process. The kernel takes the instruction
 * from the file and continues after it, in the middle of the jump.
 */
#ifndef GOTRACE_MOVED_BYTES_H
#define GOTRACE_MOVED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "plan/plan.h"

/* Returns 1 if stubs of a gotrace are mapped into the process, 0 if not, or -errno if its memory
 * map cannot be read. */
int moved_bytes_any(pid_t pid);

/* Sets left_alone[i] for all sites of each function of the plan with a site in such bytes, and for
 * sites of the runtime in such bytes. exe_fd: the plan's binary. Returns the number of these
 * functions, or -errno. */
int moved_bytes_find(pid_t pid, int exe_fd, const struct plan *plan, bool *left_alone);

/* Returns true if the site is in such bytes. `is` and `file` are n bytes of the memory and of the
 * file. The byte at `at` is the site's own. */
bool moved_bytes_at(const unsigned char *is, const unsigned char *file, size_t n, size_t at);

#endif

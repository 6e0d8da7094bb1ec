/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of a running process that another gotrace has moved to its stubs, which may have been
 * killed since. A uprobe there would crash the process: the kernel takes the instruction from the
 * file and goes on after it, in the middle of the jump.
 */
#ifndef GOTRACE_MOVED_BYTES_H
#define GOTRACE_MOVED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "plan/plan.h"

/* Stubs of a gotrace are mapped into the process: 1 or 0, or -errno where its memory map
 * cannot be read. */
int moved_bytes_any(pid_t pid);

/* exe_fd: the plan's binary. Sets left_alone[i] for all sites of each function of the plan that has
 * a site in such bytes, and for sites inside the runtime that are there. The number of these
 * functions, or -errno. */
int moved_bytes_find(pid_t pid, int exe_fd, const struct plan *plan, bool *left_alone);

/* The same of one site: `is` and `file` are the n bytes that are there and that belong there, the
 * site's own the one at `at`. */
bool moved_bytes_at(const unsigned char *is, const unsigned char *file, size_t n, size_t at);

#endif

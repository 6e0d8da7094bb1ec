/* SPDX-License-Identifier: BSD-2-Clause */
/* Patches a launched process before its first instruction: maps the plan's stubs, writes the jumps
 * to them. */
#ifndef GOTRACE_SPRINGBOARD_H
#define GOTRACE_SPRINGBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target/inject.h"
#include "attach/target/ring_area.h"
#include "plan/plan.h"

/* What the name of that file begins with, as /proc/PID/maps shows it; and the name, since a gotrace
 * that lives holds a lock on it (left_behind.h). */
#define SPRINGBOARD_FILE   "gotrace-stubs"
#define SPRINGBOARD_LOCKED "gotrace-stubs-1"

/* A descriptor (close-on-exec) of a sealed file in memory that holds the plan's stubs, or -errno.
 */
int springboard_file(const struct plan *plan);
/* The same with an empty file in memory, whoever made it. 0 or -errno. */
int springboard_fill(int fd, const struct plan *plan);

/*
 * With the process stopped at its exec: maps the stubs (open in it as descriptor `stub_fd`, which
 * is closed in it) and writes the jumps to them, for each site i with in_stub[i]. Where the bytes
 * to displace are not the file's, or the stub has no breakpoint, the text is left alone and
 * in_stub[i] is cleared. Returns NULL, or a clause, static: why no stub could be used; then in_stub
 * is left alone. For inline stubs `rings` (open in the process as the same descriptor, closed
 * likewise) are mapped as well, and the hook is put into runtime.sigtramp; its fd is -1 without
 * any.
 */
const char *springboard_patch(struct inject *in, const struct plan *plan, int exe_fd, int stub_fd,
			      const struct ring_area *rings, bool *in_stub);

#endif

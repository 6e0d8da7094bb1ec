/* SPDX-License-Identifier: BSD-2-Clause */
/* Patches a launched process before its first instruction. It maps the plan's stubs and writes the
 * jumps to them. */
#ifndef GOTRACE_SPRINGBOARD_H
#define GOTRACE_SPRINGBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target/inject.h"
#include "attach/target/ring_area.h"
#include "plan/plan.h"

/* The beginning of the name of the stubs' file in /proc/PID/maps, and the full name. A living
 * gotrace holds a lock on the file (left_behind.h). */
#define SPRINGBOARD_FILE   "gotrace-stubs"
#define SPRINGBOARD_LOCKED "gotrace-stubs-1"

/* Returns a descriptor (close-on-exec) of a sealed file in memory that holds the plan's stubs, or
 * -errno. */
int springboard_file(const struct plan *plan);
/* Fills and seals an empty file in memory instead. Returns 0 or -errno. */
int springboard_fill(int fd, const struct plan *plan);

/*
 * Works on a process stopped at its exec. It maps the stubs and writes the jumps to them, for each
 * site i with in_stub[i]. The stubs' file is open in the process as descriptor `stub_fd`, and is
 * closed there. If the bytes to displace differ from the file, or if the stub has no breakpoint, it
 * leaves the text alone and clears in_stub[i]. Returns NULL, or a static clause if no stub could be
 * used; then in_stub is unchanged.
 *
 * For inline stubs it also maps `rings` and writes the hook into runtime.sigtramp. The rings' file
 * is open in the process as the same descriptor, and is closed likewise. rings->fd is -1 without
 * inline stubs.
 */
const char *springboard_patch(struct inject *in, const struct plan *plan, int exe_fd, int stub_fd,
			      const struct ring_area *rings, bool *in_stub);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Springboard in a launched process: the stubs as a file, mapped and jumped to before its first
 * instruction. */
#ifndef GOTRACE_SPRINGBOARD_H
#define GOTRACE_SPRINGBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target/inject.h"
#include "plan/plan.h"

/* A file in memory with the plan's stubs, sealed; close-on-exec. -errno when it cannot be made. */
int springboard_file(const struct plan *plan);

/*
 * With the process stopped at its exec: maps the stubs (open in it as descriptor `stub_fd`, closed
 * on return) and writes the jumps to them. A window whose bytes are not the file's, or whose stub
 * has no probe, is let alone. left[i] is set for each site i of the plan that has a stub and is not
 * reached by way of it: its probe belongs into the text. Returns how many those are. When none
 * could be used, *why (a clause, static) says so.
 */
size_t springboard_patch(struct inject *in, const struct plan *plan, int exe_fd, int stub_fd,
			 bool *left, const char **why);

#endif

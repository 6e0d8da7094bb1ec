/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops a process that executes its binary again, until gotrace has probed the new image. If
 * gotrace dies before that, a helper lets the process continue.
 */
#ifndef GOTRACE_EXEC_GUARD_H
#define GOTRACE_EXEC_GUARD_H

#include <stdbool.h>

#include "attach/probes/children.h"

struct exec_guard {
	int alive_fd; /* the helper waits until this is closed; 0 without a helper */
};

/* Begins to guard the process of `pidfd`. c counts its images. Returns 0 or -errno and logs
 * nothing. */
int exec_guard_begin(struct exec_guard *g, const struct children *c, int pidfd);
/* Ends the helper. `certain`: the process is surely not stopped, and the helper ends at once.
 * Otherwise the helper looks for a while first. */
void exec_guard_end(struct exec_guard *g, bool certain);

#endif

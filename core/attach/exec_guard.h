/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that executes itself anew is stopped until this process has probed its new image.
 * Should this process die before that, a helper lets it go on.
 */
#ifndef GOTRACE_EXEC_GUARD_H
#define GOTRACE_EXEC_GUARD_H

#include <stdbool.h>

#include "attach/probes/children.h"

struct exec_guard {
	int alive_fd; /* the helper waits until this is closed; 0: there is none */
};

/* Begins to guard the process of `pidfd`; c counts its images. 0 or -errno, nothing logged. */
int exec_guard_begin(struct exec_guard *g, const struct children *c, int pidfd);
/* Ends the helper: at once when it is certain that the process is not stopped any more, else after
 * it has looked for a while. */
void exec_guard_end(struct exec_guard *g, bool certain);

#endif

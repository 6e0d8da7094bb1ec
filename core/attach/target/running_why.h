/* SPDX-License-Identifier: BSD-2-Clause */
/* Reasons why a running process could not get its stubs, with names and numbers. Private to
 * running*.c. */
#ifndef GOTRACE_RUNNING_WHY_H
#define GOTRACE_RUNNING_WHY_H

#include "attach/target/running.h"
#include "attach/target/threads.h"

#define RUNNING_SILENT "its memory does not answer (userfaultfd, FUSE)"

/* Writes a clause to r->said and returns it. */
const char *running_say(struct running *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns a clause on why threads_stop failed, and sets r->again if it may succeed later. */
const char *running_why_not_stopped(struct running *r, const struct threads *t, int err);

#endif

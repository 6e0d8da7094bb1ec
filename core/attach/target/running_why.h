/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a running process could not be given its stubs, with names and numbers. Private to
 * running*.c. */
#ifndef GOTRACE_RUNNING_WHY_H
#define GOTRACE_RUNNING_WHY_H

#include "attach/target/running.h"
#include "attach/target/threads.h"

#define RUNNING_SILENT "its memory does not answer (userfaultfd, FUSE)"

/* A clause in r->said, which it returns. */
const char *running_say(struct running *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Why threads_stop failed, and in r->again whether it may succeed later. */
const char *running_why_not_stopped(struct running *r, const struct threads *t, int err);

#endif

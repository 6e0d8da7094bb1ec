/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace file of a recording. It is begun under a temporary name and takes its own once it can
 * be read: whenever gotrace is killed, FILE is a trace or what it was before.
 */
#ifndef GOTRACE_TRACE_OUTPUT_H
#define GOTRACE_TRACE_OUTPUT_H

#include <stdbool.h>

#include "attach/target/user.h"

/* Opens it with the owner's rights, under a temporary name. 0 or -errno (logged). */
int trace_output_open(const struct user *owner, const char *path, int *fd);
/* What was written can be read: the file gets its name. *kept_old: there was a trace, it is
 * FILE.old now. 0 or -errno (logged). */
int trace_output_publish(const struct user *owner, const char *path, bool *kept_old);
/* Nothing ran: removes the file, and gives an existing one its name back. */
void trace_output_withdraw(const struct user *owner, const char *path, bool published,
			   bool kept_old);
/* Logs why `path` cannot be written, if err is not 0. Returns err. */
int trace_output_report(const char *path, int err);

#endif

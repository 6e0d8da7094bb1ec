/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace file of a recording. It begins under a temporary name and gets its own once it can be
 * read. So if gotrace is killed at any time, FILE is a trace or unchanged.
 */
#ifndef GOTRACE_TRACE_OUTPUT_H
#define GOTRACE_TRACE_OUTPUT_H

#include <stdbool.h>

#include "attach/target/user.h"

/* Opens the file with the owner's rights, under a temporary name. Returns 0 or -errno (logged). */
int trace_output_open(const struct user *owner, const char *path, int *fd);
/* Gives the file its name once it can be read. *kept_old: there was a trace, which is now FILE.old.
 * Returns 0 or -errno (logged). */
int trace_output_publish(const struct user *owner, const char *path, bool *kept_old);
/* Removes the file if no program ran, and gives an existing one its name back. */
void trace_output_withdraw(const struct user *owner, const char *path, bool published,
			   bool kept_old);
/* Logs the reason why `path` cannot be written, if err is not 0. Returns err. */
int trace_output_report(const char *path, int err);

#endif

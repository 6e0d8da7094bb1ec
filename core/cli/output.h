/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of a verb: standard output, or a file that appears complete or not at all. */
#ifndef GOTRACE_OUTPUT_H
#define GOTRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "attach/target/user.h"

struct output {
	FILE *file;
	/* The final name in folder_fd. NULL: `file` needs no renaming (standard output, a pipe, a
	 * device). */
	char *name;
	/* The name during writing, in the same folder. The file is removed when a signal ends the
	 * program. */
	char *temporary;
	/* The folder. It stays this one, even if its path changes. -1: none. */
	int folder_fd;
};

/*
 * From now on this process acts as the invoking user, who under sudo is the user who called it. So
 * the process can write only files that this user can write anyway, and the user owns them. It is
 * for verbs that need no rights of root once their input is open. Returns 0 or -errno (logged).
 */
int output_act_as_invoker(void);
/* Checks that the invoker may read the executable of process `pid`, which is open as fd. Only then
 * may a trace show its names. Returns 0 or -EACCES (logged). */
int refuse_unreadable(const struct user *invoker, int fd, pid_t pid);

/*
 * Opens path; NULL and "-" are standard output. A regular file is written under a temporary name,
 * with the mode of the umask, and no more rights than the file that it replaces. A link is followed
 * if the kernel follows it (fs.protected_symlinks). A link to no file is refused. Returns 0 or
 * -errno (logged). -ENOTTY: binary data is not written to a terminal. At most one output is open at
 * a time.
 */
int output_open(struct output *o, const char *path, bool binary);
/* Removes an incomplete file. Signal handlers of a process that ends call it. */
void output_abandon(void);
/* Gives the file its final name if err is 0; else removes it. Returns 0, err, or -errno (logged).
 */
int output_close(struct output *o, int err);

#endif
